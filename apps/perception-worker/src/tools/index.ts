// All handlers of this worker. `npm run format` writes this list.
export { handleAskOutsideServer } from './ask-outside-server.js';
export { handleGenerateReport } from './generate-report.js';
export { handleGetWeatherV2 } from './get-weather-v2.js';
export { handleGetWeather } from './get-weather.js';
export { handleListOutsideOffers } from './list-outside-offers.js';
export { handleRegisterMcpServer } from './register-mcp-server.js';

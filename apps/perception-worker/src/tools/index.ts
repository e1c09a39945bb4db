// The handlers of this worker, a line a tool.
export * from './ask-outside-server.js';
export * from './generate-report.js';
export * from './get-weather.js';
export * from './get-weather-v2.js';
export * from './list-outside-offers.js';
export * from './register-mcp-server.js';

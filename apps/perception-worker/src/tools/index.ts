// The handlers of this worker, a line a tool.
export * from './generate-report.js';
export * from './get-weather.js';
export * from './get-weather-v2.js';
export * from './register-mcp-server.js';

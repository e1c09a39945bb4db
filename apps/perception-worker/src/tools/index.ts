// The handlers of this worker, a line a tool.
export * from './get-weather.js';

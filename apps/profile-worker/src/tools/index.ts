// The handlers of this worker, a line a tool.
export * from './calc-metrics.js';
export * from './user-profile-lookup.js';

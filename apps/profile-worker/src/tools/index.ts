// The handlers of this worker, one line for each tool.
export * from './calc-metrics.js';
export * from './user-profile-lookup.js';

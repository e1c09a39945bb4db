// The handlers of this worker, one line for each tool.
export * from './calc-metrics.js';
export * from './import-profiles.js';
export * from './user-profile-lookup.js';

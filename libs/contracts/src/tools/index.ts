// Every tool of the product, a line a tool. A contract here without a handler in its worker, or the reverse, does not boot.
export * from './perception/generate-report.js';
export * from './perception/get-weather.js';
export * from './profile/calc-metrics.js';
export * from './profile/user-profile-lookup.js';

// All handlers of this worker. `npm run format` writes this list.
export { handleCalcMetrics } from './calc-metrics.js';
export { handleImportProfiles } from './import-profiles.js';
export { handleUserProfileLookup } from './user-profile-lookup.js';

// The handlers of this worker, a line a tool.
import { handleCalcMetrics } from './calc-metrics.js';
import { handleUserProfileLookup } from './user-profile-lookup.js';

export const handlers = [handleCalcMetrics, handleUserProfileLookup];

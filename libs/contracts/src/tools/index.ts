// Every tool of the product, a line a tool. A contract here without a handler in its worker, or the reverse, does not boot.
import type { ToolContract } from '../define-tool.js';
import { calcMetrics } from './profile/calc-metrics.js';
import { userProfileLookup } from './profile/user-profile-lookup.js';

export { calcMetrics, userProfileLookup };

export const tools: readonly ToolContract[] = [calcMetrics, userProfileLookup];

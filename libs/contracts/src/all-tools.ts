import type { ToolContract } from './define-tool.js';
import * as contracts from './tools/index.js';

/** Every tool of the product, in every version that is served. */
export const tools: readonly ToolContract[] = Object.values(contracts);

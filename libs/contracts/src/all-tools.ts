import type { ToolContract } from './define-tool.js';
import * as contracts from './tools/index.js';

/** Every tool of the product, in every version that is served. */
export const tools: readonly ToolContract[] = Object.values(contracts);

type AnyTool = (typeof contracts)[keyof typeof contracts];

/**
 * The contracts by name, for clients that are typed by them. A name with several versions has the union of their contracts. Contracts
 * whose name is only known as `string` are left out; calls of those are untyped.
 */
export type ToolByName = {
  readonly [Contract in AnyTool as string extends Contract['name'] ? never : Contract['name']]: Contract;
};

import type { ToolContract } from './define-tool.js';
import * as contracts from './tools/index.js';

/** Every tool of the product, in every version that is served. */
export const tools: readonly ToolContract[] = Object.values(contracts);

type AnyTool = (typeof contracts)[keyof typeof contracts];

/**
 * The contracts by their names, for clients that are typed by them. Versions of one name are one of several; a contract whose
 * name is only known to be a text is called untyped.
 */
export type ToolByName = {
  readonly [Contract in AnyTool as string extends Contract['name'] ? never : Contract['name']]: Contract;
};

import type { DefinedTool } from './define-tool.js';
import * as contracts from './tools/index.js';

/** Every tool of the product, in every version that is served. */
export const tools: readonly DefinedTool[] = Object.values(contracts);

type AnyTool = (typeof contracts)[keyof typeof contracts];

/**
 * The contracts by name. A name with several versions has the union of their contracts. Contracts
 * whose name is only known as `string` are left out; calls of those are untyped.
 */
type ToolByName = {
  readonly [Contract in AnyTool as string extends Contract['name'] ? never : Contract['name']]: Contract;
};

/** What each tool takes and gives, for a client of the product's own tools. Fields with a default may be left out. */
export type ProductTools = {
  readonly [Name in keyof ToolByName]: {
    readonly input: ToolByName[Name]['input']['_zod']['input'];
    readonly output: ToolByName[Name]['output']['_zod']['output'];
  };
};

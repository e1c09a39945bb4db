import type { ToolByName, ToolContract } from '#lib/contracts';

/** Names of the tools that this build knows; others can be called too, untyped. */
export type ToolName = keyof ToolByName;

type Contract<Name> = Name extends ToolName ? ToolByName[Name] : ToolContract;
/** What a tool takes; fields with a default may be left out. */
export type InputOf<Name> = Name extends ToolName ? Contract<Name>['input']['_zod']['input'] : Readonly<Record<string, unknown>>;
export type OutputOf<Name> = Name extends ToolName ? Contract<Name>['output']['_zod']['output'] : unknown;

import type { ToolFault, ToolRest } from '../gateway-client.js';

export type ToolResult = Readonly<Record<string, unknown>>;

/** What a call gave, and its own job, where it had one. */
export interface ToolRun {
  readonly result: ToolResult;
  readonly jobId?: string | undefined;
  /** True where somebody declined it. */
  readonly declined?: boolean | undefined;
  /** Where the call rests: `result` says so to a model that does not wait. */
  readonly rest?: ToolRest;
}

/** The most characters of a result that are stored and sent. */
const maxCharacters = 200_000;

/** What the model and the client see of a tool that failed (C-64). The turn goes on. */
export function errorResult({ code, message, retryable, details }: ToolFault): ToolResult {
  return { status: 'error', error: { code, message, retryable, ...(details && { details }) } };
}

export const unknownTool: ToolResult = { status: 'unknown_tool' };

/** The result; one of more than 200,000 characters of JSON becomes `{ truncated: true, characters, text }`. */
export function truncateResult(result: ToolResult): ToolResult {
  const text = JSON.stringify(result);
  return text.length <= maxCharacters
    ? result
    : { truncated: true, characters: text.length, text: text.slice(0, maxCharacters).toWellFormed() };
}

/** Outputs of tools are objects by contract; anything else becomes an empty one. */
export function toRecord(data: unknown): ToolResult {
  return typeof data === 'object' && data !== null ? Object.fromEntries(Object.entries(data)) : {};
}

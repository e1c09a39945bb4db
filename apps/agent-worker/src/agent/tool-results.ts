import { fileOfResult, type AgentToolResult } from '#lib/contracts';
import type { ToolFault, ToolRest } from '../gateway-client.js';

export type ToolResult = Readonly<Record<string, unknown>>;

/** What a call gave, and its own job, where it had one. */
export interface ToolRun {
  readonly result: ToolResult;
  readonly jobId?: string | undefined;
  /** What it is read in parts by, where that is not the job. */
  readonly resultId?: string | undefined;
  /** True where somebody declined it. */
  readonly declined?: boolean | undefined;
  /** Where the call rests: `result` says so to a model that does not wait. */
  readonly rest?: ToolRest;
}

/**
 * The most characters of a result that are stored and sent.
 * @limit chats: characters of a result that a chat keeps; it is cut
 */
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

/** The beginning that stands for a result which was stored or sent shorter than it is; null for a result that is whole. */
export function beginningIn({ truncated, text, characters, ...rest }: ToolResult): { text: string; characters: number | undefined } | null {
  if (truncated !== true || typeof text !== 'string' || Object.keys(rest).length > 0) return null;
  return { text, characters: typeof characters === 'number' ? characters : undefined };
}

/** Whether the model is shown the beginning alone, and can read on. */
export function isReadOn({ result, job_id, result_id = job_id }: Omit<AgentToolResult, 'type'>, most: number): boolean {
  if (result_id === undefined) return false;
  return beginningIn(result) !== null || fileOfResult(result) !== null || JSON.stringify(result).length > most;
}

/** Outputs of tools are objects by contract; anything else becomes an empty one. */
export function toRecord(data: unknown): ToolResult {
  return typeof data === 'object' && data !== null ? Object.fromEntries(Object.entries(data)) : {};
}

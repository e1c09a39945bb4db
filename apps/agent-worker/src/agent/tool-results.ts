import type { ToolFault } from '../gateway-client.js';

type Result = Readonly<Record<string, unknown>>;

/** The most characters of a result that is kept and sent; the rest of a larger one helps nobody. */
const maxCharacters = 200_000;

/** What a failed tool gives to the model and to the client (C-64). The loop goes on. */
export function failedResult({ code, message, retryable, details }: ToolFault): Result {
  return { status: 'error', error: { code, message, retryable, ...(details && { details }) } };
}

export const unknownTool: Result = { status: 'unknown_tool' };

export function bounded(result: Result): Result {
  const text = JSON.stringify(result);
  return text.length <= maxCharacters
    ? result
    : { truncated: true, characters: text.length, text: text.slice(0, maxCharacters).toWellFormed() };
}

/** Outputs are objects by contract. */
export function recordOf(data: unknown): Result {
  return typeof data === 'object' && data !== null ? Object.fromEntries(Object.entries(data)) : {};
}

import type { ToolContract } from './define-tool.js';
import type { ToolError } from './errors.js';

/**
 * Adds what the tool's contract knows about an error: the literal of its source document (`native_code`), and what to do instead
 * (`suggestion` and `fallback` in `extra`). A literal that the error has already is kept.
 */
export function completeError(contract: ToolContract, error: ToolError): ToolError {
  const native = contract.nativeCodes?.[error.family];
  const literal = error.native_code ?? (typeof native === 'string' ? native : undefined);
  const advice = literal === undefined ? undefined : contract.advice?.[literal];
  return {
    ...error,
    ...(literal !== undefined && { native_code: literal }),
    ...(advice && { extra: { ...error.extra, ...advice } }),
  };
}

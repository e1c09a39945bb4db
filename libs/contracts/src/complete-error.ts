import type { ToolContract } from './define-tool.js';
import type { ToolError } from './errors.js';

/** An error with what the tool's contract says of it: the literal of its source document, and what to do instead. */
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

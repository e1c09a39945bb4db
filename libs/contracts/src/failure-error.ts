import type { ToolContract } from './define-tool.js';
import { failureCode, type FailureKind, type ToolError } from './errors.js';
import { completeError } from './complete-error.js';

const texts: Readonly<Record<FailureKind, (contract: ToolContract) => string>> = {
  network: () => 'The service behind this tool could not be reached',
  timeout: (contract) => `The tool gave no answer within ${contract.timeoutMs} ms`,
  'rate-limit': () => 'The service behind this tool asks to slow down',
  service: () => 'The service behind this tool answered with an error',
  internal: () => 'The tool failed; the fault is ours and is logged under the trace id',
};

/** The error that callers see for a kind of failure: our words, never the other side's, and the literal of the tool's source. */
export function failureError(
  contract: ToolContract,
  kind: FailureKind,
  rest: { readonly message?: string; readonly hintMs?: number | undefined } = {},
): ToolError {
  const code = failureCode[kind];
  const hintMs = rest.hintMs ?? (kind === 'internal' ? undefined : contract.retryHintMs);
  return completeError(contract, {
    code,
    family: code,
    native_code: contract.failures?.[kind],
    message: rest.message ?? texts[kind](contract),
    ...(hintMs !== undefined && { retry_after_ms: Math.ceil(hintMs) }),
  });
}

import type { ToolContract } from './define-tool.js';
import type { Outcome } from './envelope.js';
import { failureCode, type FailureKind, type ToolError } from './errors.js';
import { completeError } from './complete-error.js';

const texts: Readonly<Record<FailureKind, (contract: ToolContract) => string>> = {
  network: () => 'The service behind this tool could not be reached',
  timeout: (contract) => `The tool gave no answer within ${contract.timeoutMs} ms`,
  'rate-limit': () => 'The service behind this tool asks to slow down',
  service: () => 'The service behind this tool answered with an error',
  internal: ({ served }) =>
    served
      ? 'The tool failed; its owner finds the cause under the trace id'
      : 'The tool failed; the fault is ours and is logged under the trace id',
};

/**
 * The public error of a kind of failure. The message is ours: an upstream's own text may hold what callers must not see. The literal and
 * the time to wait come from the contract, unless the upstream named a time (`hintMs`).
 */
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
    ...(hintMs !== undefined && { retry_after_ms: Math.max(1, Math.ceil(hintMs)) }),
  });
}

/**
 * The outcome of a call that reached its deadline before it was done.
 * @param contract absent when no version of the tool is known any more
 * @param runs how often it was begun
 */
export function deadlineOutcome(toolName: string, contract: ToolContract | undefined, runs: number): Outcome {
  const message =
    runs === 0 ? `No worker began ${toolName} before the deadline of the call` : `${toolName} did not finish before its deadline`;
  const code = failureCode.timeout;
  return { ok: false, error: contract ? failureError(contract, 'timeout', { message }) : { code, family: code, message } };
}

/** The outcome of a call that was cancelled. @param message says by whom or why */
export function cancelledOutcome(message: string): Outcome {
  return { ok: false, error: { code: 'CANCELLED', family: 'CANCELLED', message } };
}

/** The outcome of a call that a person has declined. @param reason as they gave it */
export function declinedOutcome(toolName: string, reason: string | undefined): Outcome {
  const message = reason ? `The call of ${toolName} was declined: ${reason}` : `The call of ${toolName} was declined`;
  const code = 'PERMISSION_DENIED';
  return { ok: false, error: { code, family: code, native_code: 'DECLINED', message, ...(reason && { extra: { reason } }) } };
}

/** The outcome of a call about which nobody decided in time. */
export function undecidedOutcome(toolName: string): Outcome {
  const code = failureCode.timeout;
  return {
    ok: false,
    error: { code, family: code, native_code: 'NO_DECISION', message: `Nobody decided about the call of ${toolName} in time` },
  };
}

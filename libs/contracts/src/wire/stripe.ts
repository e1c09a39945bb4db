import type { ErrorCode } from '../errors.js';
import type { Outcome } from '../envelope.js';

/** Fields that the document adds to a failure: what to do instead (C-44), and whether a claim is grounded (C-43). */
const failureFields = ['suggestion', 'fallback', 'grounded'] as const;

/** The literals of errors for which no contract has one, such as an unknown route. */
const literals: Partial<Record<ErrorCode, string>> = {
  UNAUTHORIZED: 'unauthorized',
  PERMISSION_DENIED: 'unauthorized',
  TOOL_NOT_FOUND: 'not_found',
  RESOURCE_NOT_FOUND: 'not_found',
  RATE_LIMITED: 'rate_limited',
  QUOTA_EXCEEDED: 'rate_limited',
  OVERLOADED: 'rate_limited',
  EXECUTION_ERROR: 'upstream_error',
  NETWORK_ERROR: 'upstream_error',
  TIMEOUT: 'upstream_error',
};

/** An answer in the format of the onboarding document (ST-02): one flat object. `error` of a failure is a literal (C-02, C-40, C-44). */
export type StripeAnswer =
  | { readonly success: true; readonly [field: string]: unknown }
  | {
      readonly success: false;
      readonly error: string;
      readonly message: string;
      readonly retry_after_ms?: number;
      readonly suggestion?: string;
      readonly fallback?: readonly string[];
      readonly grounded?: boolean;
    };

export function toStripe(outcome: Outcome): StripeAnswer {
  if (outcome.ok) return { ...fieldsOf(outcome.data), success: true };
  const { error } = outcome;
  return {
    success: false,
    error: error.native_code ?? literals[error.family] ?? 'invalid_request',
    message: error.message,
    ...(error.retry_after_ms !== undefined && { retry_after_ms: error.retry_after_ms }),
    ...Object.fromEntries(failureFields.flatMap((name) => (error.extra?.[name] === undefined ? [] : [[name, error.extra[name]]]))),
  };
}

function fieldsOf(data: unknown): object {
  return typeof data === 'object' && data !== null ? data : {};
}

import type { Outcome } from '../envelope.js';
import type { ErrorCode } from '../errors.js';

/** The error codes of the document (MT-15). Any other code of the platform is answered as the most similar one of them. */
export const memotreeErrorCodes = [
  'INVALID_PARAMS',
  'NODE_NOT_FOUND',
  'PARENT_NOT_FOUND',
  'TAG_NAME_REQUIRED',
  'TAG_ALREADY_EXISTS',
  'CONFLICT',
  'PERMISSION_DENIED',
  'CANCELLED',
  'TIMEOUT',
  'STORAGE_ERROR',
  'EXECUTION_ERROR',
] as const;
const documentCodes: ReadonlySet<string> = new Set(memotreeErrorCodes);

const nearest: Readonly<Record<ErrorCode, string>> = {
  INVALID_PARAMS: 'INVALID_PARAMS',
  UNAUTHORIZED: 'PERMISSION_DENIED',
  PERMISSION_DENIED: 'PERMISSION_DENIED',
  TOOL_NOT_FOUND: 'INVALID_PARAMS',
  RESOURCE_NOT_FOUND: 'NODE_NOT_FOUND',
  METHOD_NOT_ALLOWED: 'INVALID_PARAMS',
  CONFLICT: 'CONFLICT',
  TOOL_DEPRECATED: 'EXECUTION_ERROR',
  PAYLOAD_TOO_LARGE: 'INVALID_PARAMS',
  UNSUPPORTED_MEDIA_TYPE: 'INVALID_PARAMS',
  IDEMPOTENCY_CONFLICT: 'CONFLICT',
  RATE_LIMITED: 'EXECUTION_ERROR',
  QUOTA_EXCEEDED: 'PERMISSION_DENIED',
  CANCELLED: 'CANCELLED',
  EXECUTION_ERROR: 'EXECUTION_ERROR',
  NETWORK_ERROR: 'STORAGE_ERROR',
  OVERLOADED: 'EXECUTION_ERROR',
  TIMEOUT: 'TIMEOUT',
  RESULT_CONSUMED: 'EXECUTION_ERROR',
  EXPIRED: 'EXECUTION_ERROR',
};

/** A result in the format of the MemoTree document (MT-12…14). It has exactly these five keys. */
export interface ToolCallResult {
  readonly success: boolean;
  readonly message: string;
  readonly data: unknown;
  readonly warnings: readonly string[];
  readonly errorCode: string | null;
}

export function toMemotree(outcome: Outcome): ToolCallResult {
  const warnings = outcome.warnings ?? [];
  if (outcome.ok) return { success: true, message: outcome.message ?? 'OK', data: outcome.data ?? null, warnings, errorCode: null };
  const { error } = outcome;
  const code = error.native_code ?? error.code;
  return {
    success: false,
    message: error.message,
    data: null,
    warnings,
    errorCode: documentCodes.has(code) ? code : nearest[error.family],
  };
}

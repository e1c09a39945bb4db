// The table of all public error codes (TU-57, TU-113…123), and the kinds of failure behind them.

interface ErrorCodeRow {
  /** HTTP status of an answer that carries this code. */
  readonly http: number;
  /** The code of a JSON-RPC error with this meaning. */
  readonly jsonRpc: number;
  /** Whether the same call may succeed later without a change by the caller. */
  readonly retryable: boolean;
  /** What a caller can do about it. Answered as `hint`. */
  readonly advice: string;
  /** The same for people who read Chinese. */
  readonly zh: string;
}

export const errorCodes = {
  INVALID_PARAMS: {
    http: 400,
    jsonRpc: -32602,
    retryable: false,
    advice: 'Check the types and formats of the parameters.',
    zh: '请检查参数的类型和格式。',
  },
  UNAUTHORIZED: {
    http: 401,
    jsonRpc: -32001,
    retryable: false,
    advice: 'Send `Authorization: Bearer <API key or JWT>`.',
    zh: '请发送 `Authorization: Bearer <API 密钥或 JWT>`。',
  },
  PERMISSION_DENIED: {
    http: 403,
    jsonRpc: -32003,
    retryable: false,
    advice: 'Check what the credential may do.',
    zh: '请检查该凭证的权限。',
  },
  TOOL_NOT_FOUND: {
    http: 404,
    jsonRpc: -32601,
    retryable: false,
    advice: 'See GET /tools for the tools that exist.',
    zh: '现有工具见 GET /tools。',
  },
  RESOURCE_NOT_FOUND: { http: 404, jsonRpc: -32004, retryable: false, advice: 'Check the id or the path.', zh: '请检查 ID 或路径。' },
  METHOD_NOT_ALLOWED: {
    http: 405,
    jsonRpc: -32601,
    retryable: false,
    advice: 'Use one of the methods in the Allow header.',
    zh: '请使用 Allow 头中列出的方法。',
  },
  CONFLICT: {
    http: 409,
    jsonRpc: -32009,
    retryable: false,
    advice: 'Read the present state, then decide again.',
    zh: '请读取当前状态后再决定。',
  },
  RESULT_CONSUMED: { http: 410, jsonRpc: -32011, retryable: false, advice: 'Call again for a new one.', zh: '请重新调用以获取新的结果。' },
  EXPIRED: { http: 410, jsonRpc: -32012, retryable: false, advice: 'Its time is over: ask for a new one.', zh: '已过期：请重新申请。' },
  TOOL_DEPRECATED: { http: 410, jsonRpc: -32010, retryable: false, advice: 'Move to the replacement.', zh: '请改用替代工具。' },
  PAYLOAD_TOO_LARGE: { http: 413, jsonRpc: -32600, retryable: false, advice: 'Send less at once.', zh: '请减少单次发送的数据。' },
  UNSUPPORTED_MEDIA_TYPE: { http: 415, jsonRpc: -32600, retryable: false, advice: 'Send JSON as UTF-8.', zh: '请发送 UTF-8 编码的 JSON。' },
  IDEMPOTENCY_CONFLICT: {
    http: 422,
    jsonRpc: -32022,
    retryable: false,
    advice: 'Use a new Idempotency-Key for other parameters.',
    zh: '参数不同时请使用新的 Idempotency-Key。',
  },
  RATE_LIMITED: { http: 429, jsonRpc: -32029, retryable: true, advice: 'Retry after the time given.', zh: '请在给出的时间之后重试。' },
  QUOTA_EXCEEDED: {
    http: 429,
    jsonRpc: -32030,
    retryable: false,
    advice: 'Wait for the next period or upgrade the plan.',
    zh: '请等到下一周期，或升级套餐。',
  },
  CANCELLED: { http: 499, jsonRpc: -32099, retryable: false, advice: 'Call again if it is still wanted.', zh: '如仍需要，请重新调用。' },
  EXECUTION_ERROR: {
    http: 500,
    jsonRpc: -32603,
    retryable: false,
    advice: 'Quote the trace id when reporting this.',
    zh: '反馈问题时请附上 trace id。',
  },
  NETWORK_ERROR: { http: 503, jsonRpc: -32050, retryable: true, advice: 'Retry.', zh: '请重试。' },
  OVERLOADED: { http: 503, jsonRpc: -32053, retryable: true, advice: 'Retry after the time given.', zh: '请在给出的时间之后重试。' },
  TIMEOUT: { http: 504, jsonRpc: -32054, retryable: true, advice: 'Retry, or ask for less at once.', zh: '请重试，或减少单次的请求量。' },
} as const satisfies Record<string, ErrorCodeRow>;

export type ErrorCode = keyof typeof errorCodes;

/**
 * Whether an ended call is a fault of the system: of Invoq, of a tool, or of what stands behind a tool. Everything else is a matter of what the
 * caller asked for, or of how often it did.
 */
export function isSystemFault(end: { readonly httpStatus: number; readonly hasRun: boolean }): boolean {
  // The gateway refuses with 429 before a call runs; afterwards it is the upstream that has had too many.
  return end.httpStatus >= 500 || (end.httpStatus === errorCodes.RATE_LIMITED.http && end.hasRun);
}

/**
 * Why an attempt failed. Each kind has retry rules of its own. `network`: the upstream cannot be reached. `timeout`: no answer in time.
 * `rate-limit`: the upstream asks to call later. `service`: the upstream answered with an error of its own. `internal`: our own fault.
 */
export const failureKinds = ['network', 'timeout', 'rate-limit', 'service', 'internal'] as const;
export type FailureKind = (typeof failureKinds)[number];

export const failureCode: Record<FailureKind, ErrorCode> = {
  network: 'NETWORK_ERROR',
  timeout: 'TIMEOUT',
  'rate-limit': 'RATE_LIMITED',
  service: 'EXECUTION_ERROR',
  internal: 'EXECUTION_ERROR',
};

/** A fault of one parameter. `path` is dotted (`items.0.id`), and empty for the parameters as a whole. */
export interface FaultDetail {
  readonly path: string;
  readonly message: string;
}

/** A fault with its kind, which decides the literal of some source documents. */
export interface ParameterFault extends FaultDetail {
  readonly kind: 'missing' | 'type' | 'enum' | 'unexpected' | 'range' | 'other';
}

/** An error, independent of any answer format. Plain data: it is sent between processes. */
export interface ToolError {
  /** A code of the table, or a code of the tool's own contract, which belongs to a code of the table (`family`). */
  readonly code: string;
  /** The code of the table that decides HTTP status and `retryable`. It equals `code` unless the tool has its own code. */
  readonly family: ErrorCode;
  /** The literal of the tool's source document, if it has one. */
  readonly native_code?: string | undefined;
  readonly message: string;
  readonly details?: readonly FaultDetail[] | undefined;
  /** When to retry, in whole milliseconds from now. */
  readonly retry_after_ms?: number | undefined;
  /** Further public fields of this error, such as `replacement` of a deprecated tool. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

/** Thrown when a request is refused before an invocation is accepted. The door answers with it in its own format. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly error: ToolError;

  constructor(code: ErrorCode, message: string, rest: Omit<Partial<ToolError>, 'code' | 'family' | 'message'> = {}) {
    super(message);
    this.error = { code, family: code, message, ...rest };
  }
}

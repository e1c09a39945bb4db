import type { Envelope, EnvelopeError } from '#lib/contracts';

/** An error of a tool, of the gateway, or of the way to it (`NETWORK_ERROR` with status 0 when no answer came). */
export class InvoqError extends Error {
  override readonly name = 'InvoqError';
  readonly code: string;
  /** The literal of the tool's own source contract. */
  readonly nativeCode: string | undefined;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  /** One entry a faulty parameter. */
  readonly details: NonNullable<EnvelopeError['details']>;
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  readonly traceId: string | undefined;
  /** False when the gateway refused the call before it was queued. True also where nobody knows. */
  readonly mayHaveRun: boolean;
  /** Undefined when the gateway did not answer itself. */
  readonly envelope: Envelope | undefined;

  constructor(
    error: Pick<EnvelopeError, 'code' | 'message' | 'retryable'> & Partial<EnvelopeError>,
    answer: { readonly status: number; readonly envelope?: Envelope | undefined },
  ) {
    super(error.message);
    this.code = error.code;
    this.nativeCode = error.native_code;
    this.retryable = error.retryable;
    this.retryAfterMs = error.retry_after_ms;
    this.details = error.details ?? [];
    this.status = answer.status;
    this.traceId = answer.envelope?.metadata.trace_id;
    this.mayHaveRun = answer.envelope === undefined || answer.envelope.metadata.job_id !== undefined;
    this.envelope = answer.envelope;
  }
}

/** Whether a body is the unified envelope: a proxy between may answer with JSON of its own. */
export function isEnvelope(body: unknown): body is Envelope {
  if (typeof body !== 'object' || body === null || !('success' in body) || !('metadata' in body)) return false;
  return typeof body.success === 'boolean' && typeof body.metadata === 'object' && body.metadata !== null;
}

/** The error of an envelope that tells a failure. */
export function errorOf(envelope: Envelope, status: number): InvoqError {
  const error = envelope.error ?? { code: 'EXECUTION_ERROR', message: 'The answer tells a failure without an error', retryable: false };
  return new InvoqError(error, { status, envelope });
}

/** Statuses by which a proxy says that it could not reach the gateway, or that there are too many requests. */
const retryableStatuses: readonly number[] = [429, 502, 503, 504];

/** The error of an answer whose status is no success; without an envelope a proxy gave it. */
export function refusalOf({ status, headers }: Pick<Response, 'status' | 'headers'>, envelope: Envelope | undefined): InvoqError {
  if (envelope) return errorOf(envelope, status);
  const retryable = retryableStatuses.includes(status);
  const retryAfterMs = retryable ? parseRetryAfter(headers.get('retry-after')) : undefined;
  return new InvoqError(
    {
      code: retryable ? 'NETWORK_ERROR' : 'EXECUTION_ERROR',
      message: `The answer has status ${status} and is not the gateway's`,
      retryable,
      ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }),
    },
    { status },
  );
}

/** No answer came, or it broke off. @param address of the gateway, where it may be the address that is wrong */
export function connectionLost(cause: unknown, address?: string): InvoqError {
  const message = `The gateway${address === undefined ? '' : ` at ${address}`} gave no answer (${reasonOf(cause)})`;
  const error = new InvoqError({ code: 'NETWORK_ERROR', message, retryable: true }, { status: 0 });
  error.cause = cause;
  return error;
}

/** `Retry-After` in ms: whole seconds or an HTTP date (RFC 9110, section 10.2.3); undefined for anything else. */
export function parseRetryAfter(value: string | null, now = Date.now()): number | undefined {
  if (value === null) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** fetch hides the reason in the cause of its error. */
function reasonOf(error: unknown): string {
  const { cause, code, message }: { cause?: unknown; code?: unknown; message?: unknown } = Object(error);
  if (cause !== undefined) return reasonOf(cause);
  return String(code ?? message ?? error);
}

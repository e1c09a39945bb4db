import type { Envelope, EnvelopeError } from '#lib/contracts';

/** An error of a tool, of the gateway, or of the way to it (`NETWORK_ERROR` with status 0). */
export class InvoqError extends Error {
  override readonly name = 'InvoqError';
  readonly code: string;
  /** The literal of the tool's own source contract. */
  readonly nativeCode: string | undefined;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  /** Faults of parameters, one each. */
  readonly details: NonNullable<EnvelopeError['details']>;
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  readonly traceId: string | undefined;
  /** Whether the tool may have run. */
  readonly mayHaveRun: boolean;
  readonly envelope: Envelope | undefined;

  constructor(
    error: Pick<EnvelopeError, 'code' | 'message' | 'retryable'> & Partial<EnvelopeError>,
    answer: { readonly status: number; readonly envelope?: Envelope },
  ) {
    super(error.message);
    this.code = error.code;
    this.nativeCode = error.native_code;
    this.retryable = error.retryable;
    this.retryAfterMs = error.retry_after_ms;
    this.details = error.details ?? [];
    this.status = answer.status;
    this.traceId = answer.envelope?.metadata.trace_id;
    // A refusal before the queue has no job; without any answer nobody knows.
    this.mayHaveRun = answer.status === 0 || answer.envelope?.metadata.job_id !== undefined;
    this.envelope = answer.envelope;
  }
}

export function errorOf(envelope: Envelope, status: number): InvoqError {
  const error = envelope.error ?? { code: 'EXECUTION_ERROR', message: 'The answer is no envelope', retryable: false };
  return new InvoqError(error, { status, envelope });
}

export function lost(cause: unknown): InvoqError {
  const error = new InvoqError({ code: 'NETWORK_ERROR', message: 'The gateway gave no answer', retryable: true }, { status: 0 });
  error.cause = cause;
  return error;
}

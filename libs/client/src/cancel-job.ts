import { InvoqError } from './invoq-error.js';
import { retrying } from './retrying.js';
import type { RequestParts, Transport } from './transport.js';

/** How long a cancellation may take. Its own limit: the signal of the call has fired already. */
const patienceMs = 10_000;

export interface Cancellation {
  readonly jobId: string;
  /** Those of the call itself: for whom it was made. */
  readonly headers: RequestParts['headers'];
  /** Leaves the job alone when somebody else waits for it too. */
  readonly unlessJoined: boolean;
}

/**
 * Cancels the job of a call that its maker left. Throws InvoqError when the gateway could not be told: the job may go on then.
 * @returns false when the job had ended before
 */
export async function cancelJob(transport: Transport, { jobId, headers, unlessJoined }: Cancellation): Promise<boolean> {
  const path = `jobs/${encodeURIComponent(jobId)}${unlessJoined ? '?unless_joined=true' : ''}`;
  const signal = AbortSignal.timeout(patienceMs);
  try {
    const request = { method: 'DELETE', signal, ...(headers && { headers }) } as const;
    await retrying(() => transport.json(path, request), { times: 2, isRepeatable: true, signal });
    return true;
  } catch (error) {
    if (!(error instanceof InvoqError)) throw mayGoOn(jobId, `no answer within ${patienceMs / 1_000} s`, error);
    if (error.code === 'CONFLICT') return false;
    // A run that another caller began is not this caller's to end.
    if (error.code === 'RESOURCE_NOT_FOUND') return true;
    throw mayGoOn(jobId, error.message, error);
  }
}

function mayGoOn(jobId: string, reason: string, cause: unknown): InvoqError {
  const known = cause instanceof InvoqError ? cause : undefined;
  const error = new InvoqError(
    {
      code: known?.code ?? 'NETWORK_ERROR',
      message: `The job ${jobId} could not be cancelled and may still run: ${reason}`,
      retryable: known?.retryable ?? true,
    },
    { status: known?.status ?? 0, envelope: known?.envelope },
  );
  error.cause = cause;
  return error;
}

/** The job that an event belongs to. Undefined for an answer from the cache and for a refusal, which have none. */
export function jobOfEvent(eventId: string): string | undefined {
  const [, job] = /^evt_(.+_[0-9a-f]{32})_\d+$/.exec(eventId) ?? [];
  return job === undefined ? undefined : `inv_${job}`;
}

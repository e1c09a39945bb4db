import type { Envelope } from '#lib/contracts';
import { cancelJob } from './cancel-job.js';
import { callPath, requestParts, type CallOptions } from './call-request.js';
import type { AcceptedJob, RestingCall, StreamEvent } from './call-wire.js';
import { envelopeOrRest, lastEnvelope, ownAnswer, ownEvents, type Listening } from './own-call.js';
import { jobPath } from './paths.js';
import type { Requests } from './requests.js';
import type { RequestParts } from './transport.js';

/** How a call is sent, and what it answers with. */
export class Calling {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  /** What a call ends with. */
  envelope(name: string, input: unknown, options: CallOptions): Promise<Envelope> {
    const { onProgress, onRest } = options;
    const request = { method: 'POST', body: input, ...requestParts(options) } as const;
    return this.#requests.retrying(options, () =>
      isFollowed(options)
        ? lastEnvelope(this.events(name, input, options), { onProgress, onRest })
        : this.#answer(callPath(name, options), { ...request, onRest }),
    );
  }

  /** What a call ends with, or the job that goes on by itself while it rests. */
  untilRest(name: string, input: unknown, options: CallOptions): Promise<Envelope | AcceptedJob | RestingCall> {
    const request = { method: 'POST', body: input, ...requestParts(options) } as const;
    return this.#requests.retrying(options, async () =>
      isFollowed(options)
        ? envelopeOrRest(this.events(name, input, { ...options, goesOnAtRest: true }), options)
        : this.#requests.transport.json<AcceptedJob | Envelope>(callPath(name, options), request),
    );
  }

  /** The job of a call that goes on by itself, or its answer from the cache. */
  start(name: string, input: unknown, options: CallOptions): Promise<AcceptedJob | Envelope> {
    const { headers, signal } = requestParts(options);
    const request = { method: 'POST', body: input, headers: { ...headers, prefer: 'respond-async' } } as const;
    const unlessJoined = options.idempotencyKey === undefined;
    const cancel = async (known: AcceptedJob | Envelope): Promise<boolean> =>
      !('job_id' in known) || cancelJob(this.#requests.transport, { jobId: known.job_id, headers, unlessJoined });
    return this.#requests.retrying(options, () =>
      ownAnswer((open) => this.#requests.transport.json<AcceptedJob | Envelope>(callPath(name, options), { ...request, signal: open }), {
        signal,
        cancel,
      }),
    );
  }

  /** A call that has gone to rest has been answered with its job, and ends later. */
  async #answer(path: string, { onRest, ...request }: RequestParts & ReturnType<typeof requestParts> & Listening): Promise<Envelope> {
    const answer = await this.#requests.transport.json<AcceptedJob | Envelope>(path, request);
    if (!('job_id' in answer)) return answer;
    const events = { path: `${jobPath(answer.job_id)}/events`, headers: request.headers, signal: request.signal, mayBeJoined: true };
    return lastEnvelope(ownEvents(this.#requests.transport, events), { onRest });
  }

  events(
    name: string,
    input: unknown,
    { goesOnAtRest = false, ...options }: CallOptions & { readonly goesOnAtRest?: boolean },
  ): AsyncGenerator<StreamEvent, void> {
    const request = { path: callPath(name, options, '/sse'), method: 'POST', body: input, ...requestParts(options) } as const;
    return ownEvents(this.#requests.transport, { ...request, mayBeJoined: options.idempotencyKey === undefined, goesOnAtRest });
  }
}

/**
 * Whether a call is read as a stream. Closing the connection cancels a plain call. One with a key may be asked for again, so it is cancelled
 * by its id, which a stream tells.
 */
function isFollowed({ onProgress, signal, idempotencyKey }: CallOptions): boolean {
  return onProgress !== undefined || (signal !== undefined && idempotencyKey !== undefined);
}

import type { Envelope } from '#lib/contracts';
import { callPath, requestParts, type CallOptions } from './call-request.js';
import type { AcceptedJob, StreamEvent } from './call-wire.js';
import { lastEnvelope, ownEvents, type Listening } from './own-call.js';
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
export function isFollowed({ onProgress, signal, idempotencyKey }: CallOptions): boolean {
  return onProgress !== undefined || (signal !== undefined && idempotencyKey !== undefined);
}

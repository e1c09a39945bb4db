import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal, type ServerSentEvent } from '#lib/contracts';
import type { Logger } from '#lib/platform';
import type { Authenticator } from '../callers/authenticator.js';
import { callerOf } from '../callers/authentication.js';
import { EventStream } from './event-stream.js';

/** The open event streams of this process. */
export class EventStreams {
  readonly #authenticator: Pick<Authenticator, 'authenticate' | 'isStillGood'>;
  readonly #log: Pick<Logger, 'info'>;
  readonly #open = new Set<EventStream>();

  constructor(authenticator: Pick<Authenticator, 'authenticate' | 'isStillGood'>, log: Pick<Logger, 'info'>) {
    this.#authenticator = authenticator;
    this.#log = log;
  }

  /** Opens the response as an event stream. A drain ends it, and so does the end of its caller's credential. */
  open(request: FastifyRequest, reply: FastifyReply): EventStream {
    void reply.header('x-request-id', request.facts.requestId);
    const stream = new EventStream(reply, {
      stillAllowed: () => this.#isStillAllowed(request),
      onSent: (event) => this.#logSent(request, event),
      onEnd: () => this.#open.delete(stream),
    });
    this.#open.add(stream);
    return stream;
  }

  /** Ends every stream of this process. Its reader resumes at another gateway and misses nothing. */
  closeAll(): void {
    for (const stream of this.#open) stream.close();
  }

  async #isStillAllowed(request: FastifyRequest): Promise<boolean> {
    if (request.headers.authorization === undefined) return this.#authenticator.isStillGood(callerOf(request));
    return this.#authenticator.authenticate(request.headers, request.ip).then(
      () => true,
      (error: unknown) => !(error instanceof Refusal && error.error.family === 'UNAUTHORIZED'),
    );
  }

  #logSent(request: FastifyRequest, { event, id }: ServerSentEvent): void {
    this.#log.info({ event: 'sse-event', trace_id: request.facts.traceId, sse_event: event, sse_id: id }, 'event sent');
  }
}

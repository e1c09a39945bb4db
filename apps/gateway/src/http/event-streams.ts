import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServerSentEvent } from '#lib/contracts';
import type { RequestFacts } from '../calls/call-facts.js';
import { Stores } from '../stores.js';
import { countWhole, EventStream, wholeStream } from './event-stream.js';
import { takeOver } from './take-over.js';

/** The open event streams of this process. */
@Injectable()
export class EventStreams {
  readonly #open = new Set<EventStream>();

  constructor(private readonly stores: Stores) {}

  /** Opens the response as an event stream. A drain ends it, and `OpenRequests` does with its caller's credential. */
  open(request: FastifyRequest, reply: FastifyReply): EventStream {
    void reply.header('x-request-id', request.facts.requestId);
    return this.on(takeOver(reply, EventStream.headers), request.facts);
  }

  /** The same of a response whose head is written. */
  on(response: ServerResponse, facts: Pick<RequestFacts, 'traceId'>): EventStream {
    const stream = new EventStream(response, {
      metrics: this.stores.metrics,
      onSent: (event) => this.#logSent(facts, event),
      onEnd: () => this.#open.delete(stream),
    });
    this.#open.add(stream);
    return stream;
  }

  /** A stream whose events are all there, as text. */
  whole(facts: Pick<RequestFacts, 'traceId'>, events: readonly ServerSentEvent[]): { readonly text: string; readonly onSent: () => void } {
    const counting = { metrics: this.stores.metrics, onSent: (event: ServerSentEvent) => this.#logSent(facts, event) };
    return { text: wholeStream(events), onSent: () => countWhole(events, counting) };
  }

  /** Ends every stream of this process. Its reader resumes at another gateway and misses nothing. */
  closeAll(): void {
    for (const stream of this.#open) stream.close();
  }

  #logSent({ traceId }: Pick<RequestFacts, 'traceId'>, { event, id }: ServerSentEvent): void {
    this.stores.log.info({ event: 'sse-event', trace_id: traceId, sse_event: event, sse_id: id }, 'event sent');
  }
}

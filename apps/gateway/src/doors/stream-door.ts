import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toSingleEvent, type Language, type ToolContract } from '#lib/contracts';
import { Tickets } from '../callers/tickets.js';
import { callBasics } from '../http/call-headers.js';
import { callerOf } from '../http/caller-of.js';
import { answerFor, languageOf } from '../http/language.js';
import { EventStream } from '../http/event-stream.js';
import { EventStreams } from '../http/event-streams.js';
import { disconnected } from '../http/query.js';
import type { Answer } from '../calls/answer.js';
import { cachedScope, CachedCall, firstEvent, type Call } from '../calls/call.js';
import { parametersInBody } from '../calls/call-body.js';
import type { BegunCall, CallOfBody, CallOfHead, KnownRequest, RequestFacts, StreamedAnswer } from '../calls/call-facts.js';
import { Calls } from '../calls/calls.js';
import type { JobCall } from '../calls/job-call.js';
import type { CallOptions } from '../calls/options.js';
import type { RepeatedForm } from '../calls/repeatable-call.js';
import { BegunBefore } from './begun-before.js';
import { hasOwnHeaders } from './call-request.js';
import { toEvent, toolForm, type EventForm } from './event-form.js';

type Started = JobCall | CachedCall;

export interface StreamedCall {
  readonly tool: string;
  readonly options: CallOptions;
  readonly input: (contract: ToolContract) => unknown;
  /** Refuses tools that change something. */
  readonly readsOnly: boolean;
  /** The parameters, where they are all that its body says. */
  readonly body?: unknown;
  /** Whether the head of its request says all but its parameters. */
  readonly isOfHead?: boolean;
}

/** A place in the log of a call, and how what follows is sent. */
interface Place {
  readonly call: Call;
  readonly after: number;
  readonly form: EventForm;
}

/** Calls as event streams (TU-29…36). A reader that goes away does not stop the call. */
@Injectable()
export class StreamDoor {
  readonly #begunBefore = new BegunBefore<Started>();

  constructor(
    private readonly streams: EventStreams,
    private readonly calls: Calls,
    private readonly tickets: Tickets,
  ) {}

  /** Starts a call, and streams it from its begin. */
  async call(request: FastifyRequest, reply: FastifyReply, asked: StreamedCall): Promise<void> {
    const { facts } = request;
    const gone = disconnected(reply);
    using call = await (this.#begunBefore.take(facts) ?? this.#start(request, asked));
    const { ticket } = facts;
    if (ticket !== undefined) await this.tickets.bind(ticket, callerOf(request), call.eventScope);
    if (gone.aborted && !mayReturn(request)) return this.#leave(call);
    const { body, isOfHead } = asked;
    if (ticket === undefined && call instanceof CachedCall && body !== undefined)
      facts.repeatable = call.repeatable(body, this.#repeatedForm(languageOf(request)));
    if (ticket === undefined && isOfHead && isPlain(call, facts)) facts.ofHead = this.#ofHead(asked);
    await this.follow(request, reply, { call, after: 0, form: toolForm });
  }

  /** Streams a call from after a place in its log up to its end. Nothing left is 204, which ends an EventSource. */
  async follow(request: FastifyRequest, reply: FastifyReply, place: Place): Promise<void> {
    const { call, after } = place;
    if (call.isOver(after)) return void (await reply.status(204).send());
    void reply.headers(call.headers);
    using stream = this.streams.open(request, reply);
    await send(stream, place, languageOf(request));
  }

  async #start(request: KnownRequest, { tool, options, input, readsOnly }: StreamedCall): Promise<Started> {
    return this.calls.start({ ...callBasics(request), tool, options, input, readsOnly, waits: true });
  }

  /** Without an event there is no id to come back with. */
  async #leave(call: Started): Promise<void> {
    await call.cancel('The caller went away', { unlessJoined: true });
  }

  /** It keeps nothing of its request but this. */
  #ofHead({ tool, options, readsOnly }: StreamedCall): CallOfHead {
    return { hasIds: false, headers: EventStream.headers, callIn: (body) => this.#callIn(body, { tool, options, readsOnly }) };
  }

  #callIn(body: unknown, asked: Omit<StreamedCall, 'input'>): CallOfBody | null {
    const { input, debug, traceId } = parametersInBody(body);
    if (debug !== undefined || traceId !== null) return null;
    return { begin: (request, watch) => this.#begin(request, { ...asked, input: () => input }, watch()) };
  }

  #begin(request: KnownRequest, asked: StreamedCall, gone: AbortSignal): BegunCall {
    const started = this.#start(request, asked);
    return {
      answer: this.#answerOf(started, request, gone),
      ...this.#begunBefore.hold(request.facts, started, (call) => call[Symbol.dispose]()),
    };
  }

  async #answerOf(started: Promise<Started>, request: KnownRequest, gone: AbortSignal): Promise<StreamedAnswer | null> {
    const call = await started;
    if (gone.aborted && !mayReturn(request)) await this.#leave(call);
    if (gone.aborted || !isPlain(call, request.facts)) return null;
    return {
      stream: async (response) => {
        using stream = this.streams.on(response, request.facts);
        await send(stream, { call, after: 0, form: toolForm }, languageOf(request));
      },
    };
  }

  /** How the stream of a call that the cache answers is written when it comes again, with the same headers. */
  #repeatedForm(language: Language): RepeatedForm {
    return {
      headers: EventStream.headers,
      write: ({ outcome, facts }, request) => {
        const call = { eventScope: cachedScope(facts.traceId), toolName: facts.toolName, traceId: facts.traceId };
        const entries = [
          firstEvent(facts.toolName, facts.timestamp),
          { kind: 'end', seq: 2, at: facts.timestamp, answer: { outcome, facts } } as const,
        ];
        return this.streams.whole(
          request.facts,
          entries.map((entry) => toEvent(toolForm, call, { entry, language })).filter((event) => event !== null),
        );
      },
    };
  }

  /** The only event of a call that was refused, for readers who can read nothing but a stream. */
  refuse(request: FastifyRequest, reply: FastifyReply, refused: Answer): void {
    const { outcome, facts } = answerFor(request, refused);
    using stream = this.streams.open(request, reply);
    stream.send(toSingleEvent(outcome, facts));
  }
}

async function send(stream: EventStream, { call, after, form }: Place, language: Language): Promise<void> {
  for await (const entry of call.events(after, stream.gone)) {
    const event = toEvent(form, call, { entry, language });
    if (event) stream.send(event);
  }
}

/** Whether its stream has no header but those of every stream. What the cache answers is learnt as a whole. */
function isPlain(call: Started, facts: RequestFacts): boolean {
  return call.jobId !== null && !hasOwnHeaders(call, facts);
}

/** Whether a caller may come back for a call of which it has had no event. */
function mayReturn({ headers }: KnownRequest): boolean {
  return headers['idempotency-key'] !== undefined;
}

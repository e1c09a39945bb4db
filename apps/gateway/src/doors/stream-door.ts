import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toSingleEvent, type Language } from '#lib/contracts';
import { answerFor, languageOf } from '../http/language.js';
import { EventStream } from '../http/event-stream.js';
import { EventStreams } from '../http/event-streams.js';
import type { Answer } from '../calls/answer.js';
import { cachedScope, firstEvent, type Call } from '../calls/call.js';
import type { RepeatedForm } from '../calls/repeatable-call.js';
import { toEvent, toolForm, type EventForm } from './event-form.js';

/** Calls as event streams (TU-29…36). A reader that goes away does not stop the call. */
@Injectable()
export class StreamDoor {
  constructor(private readonly streams: EventStreams) {}

  /** Streams a call from after a place in its log up to its end. Nothing left is 204, which ends an EventSource. */
  async follow(
    request: FastifyRequest,
    reply: FastifyReply,
    { call, after, form }: { readonly call: Call; readonly after: number; readonly form: EventForm },
  ): Promise<void> {
    if (call.isOver(after)) return void (await reply.status(204).send());
    void reply.headers(call.headers);
    const language = languageOf(request);
    using stream = this.streams.open(request, reply);
    for await (const entry of call.events(after, stream.gone)) {
      const event = toEvent(form, call, { entry, language });
      if (event) stream.send(event);
    }
  }

  /** How the stream of a call that the cache answers is written when it comes again, with the same headers. */
  repeatedForm(language: Language): RepeatedForm {
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

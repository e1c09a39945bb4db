import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  chatError,
  ChatChunks,
  errorIn,
  outcomeIn,
  textIn,
  toolRestIn,
  type Caller,
  type AskedInStream,
  type ChatDialect,
  type Language,
  type Refusal,
} from '#lib/contracts';
import { AskedOfCaller } from '../../inputs/asked-of-caller.js';
import type { EventStream } from '../../http/event-stream.js';
import { EventStreams } from '../../http/event-streams.js';
import { languageOf } from '../../http/language.js';
import type { JobCall } from '../../calls/job-call.js';
import { messageIdOf } from './conversations.js';

interface StreamedTurn {
  readonly call: JobCall;
  readonly caller: Caller;
  readonly dialect: ChatDialect;
  readonly conversationId: string;
  readonly asksApproval: boolean;
  /** A reader who has answered what the turn rested for reads on from that rest. */
  readonly goesOn?: GoesOn;
}

/** Where a turn goes on after a rest: the place of that in its log, and the tool calls about which the reader has answered. */
export interface GoesOn {
  readonly after: number;
  readonly answered: readonly string[];
}

/** Turns as chat streams. Each begins at the first chunk: a client that reconnects builds the message anew. */
@Injectable()
export class ChatStreams {
  constructor(
    private readonly streams: EventStreams,
    private readonly asked: AskedOfCaller,
  ) {}

  /** Streams a turn until it ends, rests, or its reader goes away. The turn goes on without a reader. */
  async follow(
    request: FastifyRequest,
    reply: FastifyReply,
    { call, caller, dialect, conversationId, ...reader }: StreamedTurn,
  ): Promise<void> {
    const { asksApproval, goesOn = { after: 0, answered: [] } } = reader;
    void reply.headers(call.headers);
    using stream = this.#open(request, reply, dialect);
    const language = languageOf(request);
    const messageId = messageIdOf(call.jobId);
    const chunks = new ChatChunks({
      dialect,
      messageId,
      conversationId,
      traceId: call.traceId,
      tier: caller.tier,
      asksApproval,
      answered: goesOn.answered,
    });
    stream.sendFrames(chunks.begin());
    for await (const entry of call.events(goesOn.after, stream.gone)) {
      if (entry.kind === 'output') {
        stream.sendFrames(chunks.of(entry.data));
        const rest = toolRestIn(entry.data);
        const asked = rest && (await this.asked.shown(caller, rest.input_request));
        if (asked) stream.sendFrames(chunks.asks(rest, inWords(language, asked)));
      }
      if (entry.kind === 'resting' && (await call.restsSince(entry.seq))) return stream.sendFrames(chunks.rests());
      if (entry.kind === 'end') stream.sendFrames(chunks.end(outcomeIn(language, entry.answer.outcome)));
      // A long replay fills the socket faster than any reader reads: wait, so that it is not taken for a stalled reader.
      await stream.drained();
    }
  }

  /** The only event of a message that was refused (VL-34, C-55). */
  refuse(request: FastifyRequest, reply: FastifyReply, { refusal, caller }: { refusal: Refusal; caller: Caller }): void {
    using stream = this.#open(request, reply, 'source');
    stream.sendFrames([{ event: 'error', data: JSON.stringify(chatError(errorIn(languageOf(request), refusal.error), caller.tier)) }]);
  }

  #open(request: FastifyRequest, reply: FastifyReply, dialect: ChatDialect): EventStream {
    if (dialect === 'ai-sdk') void reply.header('x-vercel-ai-ui-message-stream', 'v1');
    return this.streams.open(request, reply);
  }
}

function inWords(language: Language, asked: AskedInStream): AskedInStream {
  return { ...asked, request: { ...asked.request, message: textIn(language, asked.request.message) } };
}

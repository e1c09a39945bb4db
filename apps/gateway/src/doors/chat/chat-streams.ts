import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { chatError, ChatChunks, type Caller, type ChatDialect, type Refusal } from '#lib/contracts';
import type { EventStream } from '../../http/event-stream.js';
import { EventStreams } from '../../http/event-streams.js';
import type { JobCall } from '../../calls/job-call.js';
import { messageIdOf } from './conversations.js';

interface Turn {
  readonly call: JobCall;
  readonly caller: Caller;
  readonly dialect: ChatDialect;
  readonly conversationId: string;
}

/** Turns as chat streams. Each begins at the first chunk: a client that reconnects builds the message anew. */
@Injectable()
export class ChatStreams {
  readonly #streams: EventStreams;

  constructor(streams: EventStreams) {
    this.#streams = streams;
  }

  /** Streams a turn until it ends or its reader goes away. The turn goes on without a reader. */
  async follow(request: FastifyRequest, reply: FastifyReply, { call, caller, dialect, conversationId }: Turn): Promise<void> {
    void reply.headers(call.headers);
    using stream = this.#open(request, reply, dialect);
    const messageId = messageIdOf(call.jobId);
    const chunks = new ChatChunks({ dialect, messageId, conversationId, traceId: call.traceId, tier: caller.tier });
    stream.sendFrames(chunks.begin());
    for await (const entry of call.events(0, stream.gone)) {
      if (entry.kind === 'output') stream.sendFrames(chunks.of(entry.data));
      if (entry.kind === 'end') stream.sendFrames(chunks.end(entry.answer.outcome));
      // A long replay fills the socket faster than any reader reads: wait, so that it is not taken for a stalled reader.
      await stream.drained();
    }
  }

  /** The only event of a message that was refused (VL-34, C-55). */
  refuse(request: FastifyRequest, reply: FastifyReply, { refusal, caller }: { refusal: Refusal; caller: Caller }): void {
    using stream = this.#open(request, reply, 'source');
    stream.sendFrames([{ event: 'error', data: JSON.stringify(chatError(refusal.error, caller.tier)) }]);
  }

  #open(request: FastifyRequest, reply: FastifyReply, dialect: ChatDialect): EventStream {
    if (dialect === 'ai-sdk') void reply.header('x-vercel-ai-ui-message-stream', 'v1');
    return this.#streams.open(request, reply);
  }
}

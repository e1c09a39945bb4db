// Turns as chat streams, always from their beginning: a client that comes back builds the message anew.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { chatError, ChatChunks, Refusal, type Caller, type ChatDialect, type Outcome } from '#lib/contracts';
import { TimeLimit } from '#lib/platform';
import type { Follower, InvocationRecord } from '#lib/transport';
import type { EventStream } from '../http/event-stream.js';
import type { Streams } from '../doors/streams.js';
import type { Answers } from '../invocations/answers.js';
import { messageIdOf } from './conversations.js';

interface Turn extends Pick<InvocationRecord, 'jobId' | 'head' | 'deadline'> {
  readonly follower: Follower;
  readonly dialect: ChatDialect;
  readonly conversationId: string;
}

export class ChatStreams {
  readonly #streams: Streams;
  readonly #answers: Answers;

  constructor(streams: Streams, answers: Answers) {
    this.#streams = streams;
    this.#answers = answers;
  }

  /** Streams a turn until it ends or its reader goes away; the turn itself goes on without a reader. */
  async follow(request: FastifyRequest, reply: FastifyReply, turn: Turn): Promise<void> {
    const { jobId, head, deadline, follower, dialect, conversationId } = turn;
    void reply.header('x-trace-id', head.traceId);
    using stream = this.#open(request, reply, dialect);
    using late = new TimeLimit(deadline - Date.now(), stream.gone);
    const messageId = messageIdOf(jobId);
    const chunks = new ChatChunks({ dialect, messageId, conversationId, traceId: head.traceId, tier: head.caller.tier });
    stream.sendFrames(chunks.begin());
    for await (const entry of follower.events(0, late.signal)) {
      if (entry.kind === 'output') stream.sendFrames(chunks.of(entry.data));
      if (entry.kind === 'end') {
        const ending = await follower.end(late.signal);
        if (ending) stream.sendFrames(chunks.end((await this.#answers.ofEnded({ jobId, head, ending }, head.caller)).outcome));
      }
      // A long answer that is replayed must not be taken for a reader that does not read.
      await stream.drained();
    }
    if (!late.timedOut) return;
    const contract = this.#answers.contractOf(head);
    const ending = contract && (await this.#answers.expire(jobId, head, contract));
    if (ending) stream.sendFrames(chunks.end(ending.outcome));
  }

  /** The only event of a message that was not taken (VL-34, C-55). */
  refuse(request: FastifyRequest, reply: FastifyReply, { refusal, caller }: { refusal: Refusal; caller: Caller }): void {
    using stream = this.#open(request, reply, 'source');
    const { error } = refusal;
    const outcome: Outcome = { ok: false, error };
    stream.sendFrames([{ event: 'error', data: JSON.stringify(chatError(outcome.error, caller.tier)) }]);
  }

  #open(request: FastifyRequest, reply: FastifyReply, dialect: ChatDialect): EventStream {
    if (dialect === 'ai-sdk') void reply.header('x-vercel-ai-ui-message-stream', 'v1');
    return this.#streams.open(request, reply);
  }
}

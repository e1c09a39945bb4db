// One message in, one turn out: who asks, what they may use, whose conversation it is, then the pipeline like every call.
import { randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  domains,
  errorCodes,
  fingerprint,
  isGuest,
  principal,
  Refusal,
  type Caller,
  type ChatDialect,
  type ChatMode,
} from '#lib/contracts';
import type { Followers, InvocationHead, InvocationRecord, InvocationStore } from '#lib/transport';
import { callBasics, disconnected, sendAnswer } from '../doors/call-request.js';
import { acceptedTypes } from '../doors/preference.js';
import { toRefusal } from '../http/problem.js';
import { envelopeOf, type Answers } from '../invocations/answers.js';
import type { Invocation, Invoker } from '../invocations/invoker.js';
import { parseOptions } from '../invocations/options.js';
import { conversationIdOf, readChatRequest, type ChatRequest } from './chat-request.js';
import type { ChatQuota } from './chat-quota.js';
import type { ChatStreams } from './chat-streams.js';
import { noConversation, type Conversations } from './conversations.js';

interface ChatDoorParts {
  readonly invoker: Invoker;
  readonly answers: Answers;
  readonly store: InvocationStore;
  readonly followers: Followers;
  readonly quota: ChatQuota;
  readonly conversations: Conversations;
  readonly streams: ChatStreams;
}

/** A turn that this message has begun. */
type Accepted = Extract<Invocation, { kind: 'accepted' }> & { readonly head: InvocationHead };
const domain = domains.agent.name;

export class ChatDoor {
  readonly #parts: ChatDoorParts;

  constructor(parts: ChatDoorParts) {
    this.#parts = parts;
  }

  get quota(): ChatQuota {
    return this.#parts.quota;
  }

  get conversations(): Conversations {
    return this.#parts.conversations;
  }

  /** Answers a message as a stream; as one JSON envelope for a client that reads nothing else. */
  async say(request: FastifyRequest, reply: FastifyReply, caller: Caller): Promise<void> {
    const asked = readChatRequest(request.body, protocolOf(request));
    const conversationId = conversationIdOf(caller, asked.chatId ?? randomUUID());
    void reply.header('x-conversation-id', conversationId);
    const accepts = acceptedTypes(request.headers.accept ?? 'text/event-stream');
    const readsStream = accepts.stream || request.headers.accept === '*/*';
    let invocation: Accepted;
    try {
      invocation = await this.#accept(request, { asked, conversationId, caller });
    } catch (error) {
      const refusal = toRefusal(error);
      if (asked.dialect === 'source' && readsStream && isToldInStream(refusal))
        return this.#parts.streams.refuse(request, reply, { refusal, caller });
      throw refusal;
    }
    using follower = invocation.follower;
    const turn = { ...invocation, follower, dialect: asked.dialect, conversationId };
    // Awaited here: the follower ends with this block.
    if (readsStream) return await this.#parts.streams.follow(request, reply, turn);
    const answer = await this.#parts.answers.wait(invocation, caller, disconnected(reply));
    if (answer) sendAnswer(reply, answer, envelopeOf(answer));
  }

  /** Replays the running turn from its beginning; 204 when none runs. */
  async resume(request: FastifyRequest, reply: FastifyReply, { caller, chatId }: { caller: Caller; chatId: string }): Promise<void> {
    const conversationId = conversationIdOf(caller, chatId);
    void reply.header('x-conversation-id', conversationId);
    const record = await this.#running(caller, conversationId);
    if (!record) return void (await reply.status(204).send());
    using follower = this.#parts.followers.follow(record.jobId, false);
    const dialect: ChatDialect = protocolOf(request) === 'ai-sdk' || record.head.input['dialect'] === 'ai-sdk' ? 'ai-sdk' : 'source';
    await this.#parts.streams.follow(request, reply, { ...record, follower, dialect, conversationId });
  }

  /** Stops the running turn, wherever it runs; what it has said stays. */
  async stop(reply: FastifyReply, { caller, chatId }: { caller: Caller; chatId: string }): Promise<void> {
    const conversationId = conversationIdOf(caller, chatId);
    void reply.header('x-conversation-id', conversationId);
    const jobId = await this.#stop(caller, conversationId);
    if (jobId === null) return void (await reply.status(204).send());
    await reply.status(202).send({ conversation_id: conversationId, job_id: jobId, state: 'cancelled' });
  }

  /** Forgets a conversation: its turn is stopped, its messages are deleted here and in the records of their jobs. */
  async remove(caller: Caller, chatId: string): Promise<void> {
    const { conversations, store } = this.#parts;
    const conversationId = conversationIdOf(caller, chatId);
    const stopped = await this.#stop(caller, conversationId);
    const jobIds = await conversations.remove(caller, conversationId);
    if (jobIds === null && stopped === null) throw noConversation();
    await store.forget([...new Set([...(jobIds ?? []), ...(stopped === null ? [] : [stopped])])]);
  }

  /** Stops the running turn. @returns its job; null when none runs */
  async #stop(caller: Caller, conversationId: string): Promise<string | null> {
    const record = await this.#running(caller, conversationId);
    if (!record) return null;
    const error = { code: 'CANCELLED', family: 'CANCELLED', message: 'The answer was stopped' } as const;
    await this.#parts.answers.endNow(record.jobId, record.head, { state: 'cancelled', outcome: { ok: false, error } });
    return record.jobId;
  }

  async #accept(
    request: FastifyRequest,
    { asked, conversationId, caller }: { asked: ChatRequest; conversationId: string; caller: Caller },
  ): Promise<Accepted> {
    const { invoker, quota, conversations } = this.#parts;
    // An id that we have just made up is nobody else's.
    const begins = asked.chatId === null;
    if (!isGuest(caller) && !begins) await conversations.claim(caller, conversationId);
    await quota.check(caller);
    try {
      const mode: ChatMode = isGuest(caller) ? 'guest' : asked.mode;
      const { message, regenerate, dialect } = asked;
      const invocation = await invoker.invoke({
        tool: 'chat_turn',
        internal: { flightKey: flightOf(caller, conversationId) },
        input: () => ({ conversation_id: conversationId, message, mode, begins, regenerate, dialect }),
        ...callBasics(request, caller),
        idempotencyKey: null,
        options: parseOptions({}),
        waits: true,
      });
      if (invocation.kind !== 'accepted') throw new Refusal('EXECUTION_ERROR', 'A turn cannot come from a cache');
      const { head } = invocation;
      if (head) return { ...invocation, head };
      invocation.follower[Symbol.dispose]();
      throw new Refusal('CONFLICT', 'The conversation is still being answered: wait for it, or stop it first');
    } catch (error) {
      await quota.refund(caller).catch(() => undefined);
      throw error;
    }
  }

  async #running(caller: Caller, conversationId: string): Promise<InvocationRecord | null> {
    const jobId = await this.#parts.store.inFlight(domain, flightOf(caller, conversationId));
    const record = jobId === null ? null : await this.#parts.store.read(jobId);
    return record && !record.ending ? record : null;
  }
}

/** One turn of a conversation at a time. The caller is part of the name: nobody reaches another's by knowing its id. */
function flightOf(caller: Caller, conversationId: string): string {
  return fingerprint(['chat', principal(caller), conversationId]);
}

/** What the client cannot mend is told where it listens; what it can, by sending something else or later, is a plain HTTP answer. */
function isToldInStream({ error: { family } }: Refusal): boolean {
  return family === 'QUOTA_EXCEEDED' || (errorCodes[family].http >= 500 && family !== 'OVERLOADED');
}

function protocolOf(request: FastifyRequest): string | undefined {
  const header = request.headers['x-stream-protocol'];
  return typeof header === 'string' ? header : undefined;
}

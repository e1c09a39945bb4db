import { randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorCodes, fingerprint, isGuest, principal, Refusal, type Caller, type ChatDialect, type ChatMode } from '#lib/contracts';
import { callBasics, sendAnswer } from '../call-request.js';
import { disconnected } from '../../http/query.js';
import { acceptedTypes } from '../preference.js';
import { toRefusal } from '../../calls/to-refusal.js';
import { envelopeOf } from '../../calls/answer.js';
import type { Calls } from '../../calls/calls.js';
import type { JobCall } from '../../calls/job-call.js';
import { defaultOptions } from '../../calls/options.js';
import { conversationIdOf, readChatRequest, type ChatRequest } from './chat-request.js';
import type { ChatQuota } from './chat-quota.js';
import type { ChatStreams } from './chat-streams.js';
import { noConversation, type Conversations } from './conversations.js';

interface ChatDoorParts {
  readonly calls: Calls;
  readonly quota: ChatQuota;
  readonly conversations: Conversations;
  readonly streams: ChatStreams;
}

/** Chat: a message becomes a turn, which is a call like any other. Here are its conversation, its quota and its streams. */
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
    let started: JobCall;
    try {
      started = await this.#start(request, { asked, conversationId, caller });
    } catch (error) {
      const refusal = toRefusal(error);
      if (asked.dialect === 'source' && readsStream && isStreamed(refusal))
        return this.#parts.streams.refuse(request, reply, { refusal, caller });
      throw refusal;
    }
    using call = started;
    // Awaited here: the call is let go of at the end of this block.
    if (readsStream) return await this.#parts.streams.follow(request, reply, { call, caller, dialect: asked.dialect, conversationId });
    const answer = await call.answer(disconnected(reply));
    if (answer) sendAnswer(reply, answer, envelopeOf(answer));
  }

  /** Replays the running turn from its beginning; 204 when none runs. */
  async resume(request: FastifyRequest, reply: FastifyReply, { caller, chatId }: { caller: Caller; chatId: string }): Promise<void> {
    const conversationId = conversationIdOf(caller, chatId);
    void reply.header('x-conversation-id', conversationId);
    const running = await this.#running(caller, conversationId);
    if (!running) return void (await reply.status(204).send());
    using call = running;
    const { head } = await call.job();
    const dialect: ChatDialect = protocolOf(request) === 'ai-sdk' || head.input['dialect'] === 'ai-sdk' ? 'ai-sdk' : 'source';
    await this.#parts.streams.follow(request, reply, { call, caller, dialect, conversationId });
  }

  /** Stops the running turn, wherever it runs. What it has written so far stays. */
  async stop(reply: FastifyReply, { caller, chatId }: { caller: Caller; chatId: string }): Promise<void> {
    const conversationId = conversationIdOf(caller, chatId);
    void reply.header('x-conversation-id', conversationId);
    const jobId = await this.#stop(caller, conversationId);
    if (jobId === null) return void (await reply.status(204).send());
    await reply.status(202).send({ conversation_id: conversationId, job_id: jobId, state: 'cancelled' });
  }

  /** Deletes a conversation: stops its turn, deletes its messages, here and in the records of their jobs. */
  async remove(caller: Caller, chatId: string): Promise<void> {
    const { conversations, calls } = this.#parts;
    const conversationId = conversationIdOf(caller, chatId);
    const stopped = await this.#stop(caller, conversationId);
    // Before its messages: a turn that stores its message just now finds its call gone, and takes the message back.
    if (stopped !== null) await calls.forget([stopped]);
    const jobIds = await conversations.remove(caller, conversationId);
    if (jobIds === null && stopped === null) throw noConversation();
    await calls.forget(jobIds ?? []);
  }

  /** Stops the running turn. @returns its job; null when none runs */
  async #stop(caller: Caller, conversationId: string): Promise<string | null> {
    const running = await this.#running(caller, conversationId);
    if (!running) return null;
    using call = running;
    await call.cancel('The answer was stopped');
    return call.jobId;
  }

  async #start(
    request: FastifyRequest,
    { asked, conversationId, caller }: { asked: ChatRequest; conversationId: string; caller: Caller },
  ): Promise<JobCall> {
    const { calls, quota, conversations } = this.#parts;
    // An id that was made here a moment ago belongs to nobody else.
    const begins = asked.chatId === null;
    if (!isGuest(caller) && !begins) await conversations.claim(caller, conversationId);
    const at = new Date();
    await quota.check(caller, at);
    try {
      const mode: ChatMode = isGuest(caller) ? 'guest' : asked.mode;
      const { message, regenerate, dialect } = asked;
      const call = await calls.start({
        tool: 'chat_turn',
        internal: { flightKey: flightOf(caller, conversationId) },
        input: () => ({ conversation_id: conversationId, message, mode, begins, regenerate, dialect }),
        ...callBasics(request, caller),
        idempotencyKey: null,
        options: defaultOptions,
        waits: true,
      });
      if (call.jobId === null) throw new Refusal('EXECUTION_ERROR', 'A turn cannot come from a cache');
      if (!call.joined) return call;
      throw new Refusal('CONFLICT', 'The conversation is still being answered: wait for it, or stop it first');
    } catch (error) {
      await quota.refund(caller, at).catch(() => undefined);
      throw error;
    }
  }

  async #running(caller: Caller, conversationId: string): Promise<JobCall | null> {
    return this.#parts.calls.findRunning(caller, 'agent', flightOf(caller, conversationId));
  }
}

/** One turn of a conversation at a time. The key holds the caller, so that knowing an id gives no access to another's turn. */
function flightOf(caller: Caller, conversationId: string): string {
  return fingerprint(['chat', principal(caller), conversationId]);
}

/** Our faults and quota errors become stream events. All other refusals are plain HTTP answers. */
function isStreamed({ error: { family } }: Refusal): boolean {
  return family === 'QUOTA_EXCEEDED' || (errorCodes[family].http >= 500 && family !== 'OVERLOADED');
}

function protocolOf(request: FastifyRequest): string | undefined {
  const header = request.headers['x-stream-protocol'];
  return typeof header === 'string' ? header : undefined;
}

import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  errorCodes,
  fingerprint,
  isGuest,
  principal,
  Refusal,
  toolRestIn,
  type AgentToolRest,
  type Caller,
  type ChatDialect,
  type ChatMode,
} from '#lib/contracts';
import { AskedOfCaller } from '../../inputs/asked-of-caller.js';
import { acceptedOf } from '../accepted.js';
import { callBasics } from '../../http/call-headers.js';
import { sendAnswer } from '../call-request.js';
import { disconnected } from '../../http/query.js';
import { acceptedTypes } from '../preference.js';
import { toRefusal } from '../../calls/to-refusal.js';
import { envelopeOf } from '../../calls/answer.js';
import { answerFor } from '../../http/language.js';
import { Calls } from '../../calls/calls.js';
import type { JobCall } from '../../calls/job-call.js';
import { defaultOptions } from '../../calls/options.js';
import { conversationIdOf, isAiSdkProtocol, readChatRequest, takesApprovals, type ChatRequest } from './chat-request.js';
import { ChatQuota } from './chat-quota.js';
import { ChatStreams } from './chat-streams.js';
import { noConversation, Conversations } from './conversations.js';

/** The last place in the log of a turn that has put out nothing. */
const nothingSaid = 2;

interface Start {
  readonly asked: ChatRequest;
  readonly conversationId: string;
  readonly caller: Caller;
}

interface Answering extends Start {
  readonly readsStream: boolean;
  readonly asksApproval: boolean;
}

/** Chat: a message becomes a turn, which is a call like any other. Here are its conversation, its quota and its streams. */
@Injectable()
export class ChatDoor {
  constructor(
    readonly quota: ChatQuota,
    readonly conversations: Conversations,
    private readonly calls: Calls,
    private readonly streams: ChatStreams,
    private readonly asked: AskedOfCaller,
  ) {}

  /** Answers a message as a stream; as one JSON envelope for a client that reads nothing else. */
  async say(request: FastifyRequest, reply: FastifyReply, caller: Caller): Promise<void> {
    const asked = readChatRequest(request.body, protocolOf(request));
    const conversationId = conversationIdOf(caller, asked.chatId ?? randomUUID());
    void reply.header('x-conversation-id', conversationId);
    const accepts = acceptedTypes(request.headers.accept ?? 'text/event-stream');
    const readsStream = accepts.stream || request.headers.accept === '*/*';
    const asksApproval = takesApprovals(asked.dialect, protocolOf(request));
    if (asked.answers.length > 0) return this.#goOn(request, reply, { asked, conversationId, caller, readsStream, asksApproval });
    let started: JobCall;
    try {
      started = await this.#start(request, { asked, conversationId, caller });
    } catch (error) {
      const refusal = toRefusal(error);
      if (asked.dialect === 'source' && readsStream && isStreamed(refusal)) return this.streams.refuse(request, reply, { refusal, caller });
      throw refusal;
    }
    using call = started;
    // Awaited here: the call is let go of at the end of this block.
    const { dialect } = asked;
    if (readsStream) return await this.streams.follow(request, reply, { call, caller, dialect, conversationId, asksApproval });
    const answer = await call.answerOrRest(disconnected(reply));
    if (answer && 'rest' in answer) return void (await reply.status(202).send(acceptedOf(call, answer)));
    if (answer) sendAnswer(reply, answer, envelopeOf(answerFor(request, answer)));
  }

  /** Takes what a person said to the requests of a turn that rests, and streams how it goes on. */
  async #goOn(request: FastifyRequest, reply: FastifyReply, { asked, conversationId, caller, readsStream, asksApproval }: Answering) {
    const running = await this.#running(caller, conversationId);
    if (!running) throw new Refusal('CONFLICT', 'The answer that asked for this has ended; see GET /input-requests');
    using call = running;
    const { rests, restedAt } = await restsOf(call);
    for (const { id, approved, reason } of asked.answers) {
      if (!rests.some((rest) => rest.input_request === id)) throw unknownRequest(id);
      const refusal = await this.asked.answer(caller, id, { action: approved ? 'accept' : 'decline', ...(reason && { reason }) });
      if (refusal) throw refusal;
    }
    void reply.headers(call.headers);
    if (!readsStream) return void (await reply.status(202).send(acceptedOf(call, null)));
    const goesOn = { after: restedAt, answered: asked.answers.map(({ toolCallId }) => toolCallId) };
    const { dialect } = asked;
    // Awaited here: the call is let go of at the end of this block.
    return await this.streams.follow(request, reply, { call, caller, dialect, conversationId, asksApproval, goesOn });
  }

  /** Replays the running turn from its beginning; 204 when none runs. */
  async resume(request: FastifyRequest, reply: FastifyReply, { caller, chatId }: { caller: Caller; chatId: string }): Promise<void> {
    const conversationId = conversationIdOf(caller, chatId);
    void reply.header('x-conversation-id', conversationId);
    const running = await this.#running(caller, conversationId);
    if (!running) return void (await reply.status(204).send());
    using call = running;
    const { head } = await call.job();
    const dialect: ChatDialect = isAiSdkProtocol(protocolOf(request)) || head.input['dialect'] === 'ai-sdk' ? 'ai-sdk' : 'source';
    const asksApproval = takesApprovals(dialect, protocolOf(request));
    await this.streams.follow(request, reply, { call, caller, dialect, conversationId, asksApproval });
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
    const conversationId = conversationIdOf(caller, chatId);
    const stopped = await this.#stop(caller, conversationId);
    // Before its messages: a turn that stores its message just now finds its call gone, and takes the message back.
    if (stopped !== null) await this.calls.forget([stopped]);
    const jobIds = await this.conversations.remove(caller, conversationId);
    if (jobIds === null && stopped === null) throw noConversation();
    await this.calls.forget(jobIds ?? []);
  }

  /** Stops the running turn. @returns its job; null when none runs */
  async #stop(caller: Caller, conversationId: string): Promise<string | null> {
    const running = await this.#running(caller, conversationId);
    if (!running) return null;
    using call = running;
    const { rests } = call.resting ? await restsOf(call) : { rests: [] };
    await call.cancel('The answer was stopped');
    // What it has asked for is not asked any more. Of those that were answered before, there is nothing to cancel.
    for (const { input_request: id } of rests) await this.asked.answer(caller, id, { action: 'cancel' });
    return call.jobId;
  }

  async #start(request: FastifyRequest, start: Start): Promise<JobCall> {
    const { asked, conversationId, caller } = start;
    if (!isGuest(caller) && !isNew(asked)) await this.conversations.claim(caller, conversationId);
    const at = new Date();
    await this.quota.check(caller, at);
    try {
      const call = await this.#startTurn(request, start);
      if (!call.joined) return call;
      if (call.resting) {
        // What its calls have asked for stays asked.
        await call.cancel('Another message came while the answer waited');
        call[Symbol.dispose]();
        const instead = await this.#startTurn(request, start);
        if (!instead.joined) return instead;
      }
      throw new Refusal('CONFLICT', 'The conversation is still being answered: wait for it, or stop it first');
    } catch (error) {
      await this.quota.refund(caller, at).catch(() => undefined);
      throw error;
    }
  }

  async #startTurn(request: FastifyRequest, { asked, conversationId, caller }: Start): Promise<JobCall> {
    const mode: ChatMode = isGuest(caller) ? 'guest' : asked.mode;
    const { message, regenerate, dialect } = asked;
    const begins = isNew(asked);
    const call = await this.calls.start({
      tool: 'chat_turn',
      internal: { flightKey: flightOf(caller, conversationId), exempt: true },
      input: () => ({ conversation_id: conversationId, message, mode, begins, regenerate, dialect }),
      ...callBasics(request, caller),
      idempotencyKey: null,
      options: defaultOptions,
      waits: true,
    });
    if (call.jobId === null) throw new Refusal('EXECUTION_ERROR', 'A turn cannot come from a cache');
    return call;
  }

  async #running(caller: Caller, conversationId: string): Promise<JobCall | null> {
    return this.calls.findRunning(caller, 'agent', flightOf(caller, conversationId));
  }
}

/** An id that was made here a moment ago belongs to nobody else. */
function isNew({ chatId }: ChatRequest): boolean {
  return chatId === null;
}

/** What the calls of a turn have asked so far, and the place in its log at which it rested last. */
async function restsOf(call: JobCall): Promise<{ readonly rests: readonly AgentToolRest[]; readonly restedAt: number }> {
  const rests: AgentToolRest[] = [];
  let restedAt = 0;
  const { lastSeq, rest } = await call.job();
  // One that has rested has written so: whoever reads does not wait.
  if (!rest && lastSeq <= nothingSaid) return { rests, restedAt };
  for await (const entry of call.events(0, new AbortController().signal)) {
    const found = entry.kind === 'output' ? toolRestIn(entry.data) : null;
    if (found) rests.push(found);
    if (entry.kind === 'resting') restedAt = entry.seq;
    if (entry.seq >= lastSeq) break;
  }
  return { rests, restedAt };
}

function unknownRequest(id: string): Refusal {
  const message = `Parameter 'messages' answers the request ${JSON.stringify(id.slice(0, 100))}, which this answer has not put`;
  return new Refusal('INVALID_PARAMS', message, { details: [{ path: 'messages', message }] });
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

// Invocations as event streams, for every door that streams.
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  eventId,
  parseEventId,
  Refusal,
  toEndEvent,
  toEnvelope,
  toAgentEnd,
  toAgentEvent,
  toSingleEvent,
  toToolEvent,
  type LoggedEvent,
  type Outcome,
  type ServerSentEvent,
} from '#lib/contracts';
import { TimeLimit, type Logger } from '#lib/platform';
import type { Follower, Followers, InvocationRecord, InvocationStore } from '#lib/transport';
import type { Authenticator } from '../callers/authenticator.js';
import { callerOf } from '../callers/guard.js';
import { EventStream } from '../http/event-stream.js';
import { type Answer, type Answers, envelopeOf } from '../invocations/answers.js';
import { wishesOf, type Finishing, type Wishes } from '../invocations/finishing.js';
import type { Invocation } from '../invocations/invoker.js';
import { mayRead } from './ownership.js';

interface StreamsParts {
  readonly store: InvocationStore;
  readonly followers: Followers;
  readonly answers: Answers;
  readonly finishing: Finishing;
  readonly authenticator: Authenticator;
  readonly log: Logger;
}

/** How a log is told: in the events of the Tool Use document, or in a tool's own. */
export interface EventForm {
  /** Null for an entry that this form does not tell. */
  readonly of: (entry: Exclude<LoggedEvent, { kind: 'end' }>, facts: Parameters<typeof toToolEvent>[1]) => ServerSentEvent | null;
  readonly end: (id: string, answer: Answer) => ServerSentEvent;
}

export const toolForm: EventForm = {
  of: (entry, facts) => (entry.kind === 'output' ? null : toToolEvent(entry, facts)),
  end: (id, answer) => toEndEvent(id, envelopeOf(answer)),
};

/** The six events of the VibeLife agent (VL-05). */
export const agentForm: EventForm = {
  of: (entry, { jobId }) => toAgentEvent(jobId, entry),
  end: (id, { outcome }) => toAgentEnd(id, outcome),
};

export class Streams {
  readonly #parts: StreamsParts;
  readonly #open = new Set<EventStream>();

  constructor(parts: StreamsParts) {
    this.#parts = parts;
  }

  /** Streams a call from its beginning. The invocation goes on when the reader goes away. */
  async start(
    request: FastifyRequest,
    reply: FastifyReply,
    { invocation, wishes }: { readonly invocation: Invocation; readonly wishes: Wishes },
  ): Promise<void> {
    void reply.headers(this.#parts.answers.lifecycleHeaders(invocation.contract));
    if (invocation.kind === 'cached') {
      const answer = await this.#parts.finishing.finish(this.#parts.answers.ofCached(invocation, request.facts), wishes);
      using stream = this.open(request, reply);
      this.#send(request, stream, firstOfCached(answer.facts));
      this.#send(request, stream, toSingleEvent(answer.outcome, answer.facts));
      return;
    }
    if (invocation.replayed) void reply.header('idempotent-replayed', 'true');
    const record = await this.#parts.store.read(invocation.jobId);
    if (!record) throw new Refusal('EXECUTION_ERROR', 'The accepted call cannot be found');
    using follower = invocation.follower;
    await this.#follow(request, reply, { record, follower, after: 0, deadline: invocation.deadline, wishes, form: toolForm });
  }

  /** Streams what came after a place. Nothing left: 204, which tells an EventSource to stop. */
  async resume(
    request: FastifyRequest,
    reply: FastifyReply,
    place: { readonly jobId: string; readonly after: number; readonly form?: EventForm },
  ): Promise<void> {
    const record = await this.find(request, place.jobId);
    using follower = this.#parts.followers.follow(place.jobId, false);
    await this.#follow(request, reply, { record, follower, after: place.after, deadline: record.deadline, form: place.form ?? toolForm });
  }

  /** The caller's own job. Throws RESOURCE_NOT_FOUND, the same for a foreign job and for none. */
  async find(request: FastifyRequest, jobId: string): Promise<InvocationRecord> {
    const record = await this.#parts.store.read(jobId);
    if (!record || !mayRead(callerOf(request), record.head.caller) || this.#isOfAnotherSession(request, record))
      throw new Refusal('RESOURCE_NOT_FOUND', 'There is no such job; jobs can be read for 24 hours by whoever made the call');
    return record;
  }

  /** A reader that names a session reads that session's calls alone, where a tool keeps sessions apart. */
  #isOfAnotherSession(request: FastifyRequest, { head }: InvocationRecord): boolean {
    const asked = request.headers['x-session-id'];
    if (asked === undefined || asked === head.sessionId) return false;
    return this.#parts.answers.contractOf(head)?.perSession ?? false;
  }

  /** The only event of a call that was refused before it was accepted, for readers who can read nothing but a stream. */
  async refuse(
    request: FastifyRequest,
    reply: FastifyReply,
    { refusal, toolName, wishes }: { readonly refusal: Refusal; readonly toolName: string; readonly wishes: Wishes | null },
  ): Promise<void> {
    const outcome: Outcome = { ok: false, error: refusal.error };
    const answer = { outcome, facts: { toolName, traceId: request.facts.traceId, timestamp: Date.now() } };
    const finished = wishes ? await this.#parts.finishing.finish(answer, wishes) : answer;
    using stream = this.open(request, reply);
    this.#send(request, stream, toSingleEvent(finished.outcome, finished.facts));
  }

  async #follow(
    request: FastifyRequest,
    reply: FastifyReply,
    from: { record: InvocationRecord; follower: Follower; after: number; deadline: number; wishes?: Wishes; form: EventForm },
  ): Promise<void> {
    const { record, follower, deadline, form } = from;
    const wishes = from.wishes ?? wishesOf(record.head);
    // A place that was never reached is no place: such a reader begins anew.
    const after = from.after > record.lastSeq ? 0 : from.after;
    if (record.ending && after > 0 && (await this.#nothingAfter(record.jobId, after))) {
      await reply.status(204).send();
      return;
    }
    void reply.header('x-trace-id', record.head.traceId);
    using stream = this.open(request, reply);
    using late = new TimeLimit(deadline - Date.now(), stream.gone);
    for await (const entry of follower.events(after, late.signal)) {
      const { jobId, head } = record;
      if (entry.kind !== 'end') {
        const event = form.of(entry, { jobId, toolName: head.tool, traceId: head.traceId });
        if (event) this.#send(request, stream, event);
        continue;
      }
      // Asked of the follower, who waits on when Redis is away at this very moment.
      const ending = await follower.end(late.signal);
      if (!ending) return;
      const answer = await this.#parts.answers.ofEnded({ jobId, head, ending }, callerOf(request));
      const finished = await this.#parts.finishing.finish(answer, wishes);
      this.#send(request, stream, form.end(eventId(jobId, entry.seq), finished));
    }
    if (!late.timedOut) return;
    // Nobody ended it in time, so the deadline does; the log then has its last entry.
    const contract = this.#parts.answers.contractOf(record.head);
    if (contract) await this.#parts.answers.expire(record.jobId, record.head, contract);
    const ended = await this.#parts.store.read(record.jobId);
    if (!ended?.ending) return;
    const answer = await this.#parts.answers.ofEnded({ ...ended, ending: ended.ending }, callerOf(request));
    this.#send(request, stream, form.end(eventId(record.jobId, ended.lastSeq), await this.#parts.finishing.finish(answer, wishes)));
  }

  async #nothingAfter(jobId: string, after: number): Promise<boolean> {
    const record = await this.#parts.store.read(jobId);
    return record === null || record.lastSeq <= after;
  }

  /** Ends every stream of this process; what their readers miss they get by resuming. */
  closeAll(): void {
    for (const stream of this.#open) stream.close();
  }

  /** An event stream that a drain ends, and that ends by itself when its caller would no longer be let in. */
  open(request: FastifyRequest, reply: FastifyReply): EventStream {
    const stillAllowed = async () => {
      if (request.headers.authorization === undefined) return this.#parts.authenticator.isStillGood(callerOf(request));
      return this.#parts.authenticator.authenticate(request.headers, request.ip).then(
        () => true,
        (error: unknown) => !(error instanceof Refusal && error.error.family === 'UNAUTHORIZED'),
      );
    };
    void reply.header('x-request-id', request.facts.requestId);
    const stream = new EventStream(reply, { stillAllowed, onEnd: () => this.#open.delete(stream) });
    this.#open.add(stream);
    return stream;
  }

  #send(request: FastifyRequest, stream: EventStream, event: ServerSentEvent): void {
    stream.send(event);
    this.#parts.log.info({ event: 'sse-event', trace_id: request.facts.traceId, sse_event: event.event, sse_id: event.id }, 'event sent');
  }
}

/** Where a reader left off; null when the id is none of ours. */
export function placeOf(lastEventId: string): { readonly jobId: string; readonly after: number } | null {
  const parsed = parseEventId(lastEventId);
  return parsed && { jobId: parsed.jobId, after: parsed.seq };
}

function firstOfCached(facts: Parameters<typeof toEnvelope>[1]): ServerSentEvent {
  const metadata = { tool_name: facts.toolName, timestamp: new Date(facts.timestamp).toISOString(), trace_id: facts.traceId };
  return {
    event: 'tool_progress',
    id: `evt_${facts.traceId}_start`,
    data: { progress: 0, message: `Starting ${facts.toolName}`, metadata },
  };
}

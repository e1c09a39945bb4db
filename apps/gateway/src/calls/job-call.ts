import { principal, Refusal, type Caller, type EndState, type Rest } from '#lib/contracts';
import { TimeLimit } from '#lib/handlers';
import {
  type Ending,
  type Follower,
  type Followers,
  type CallHead,
  type CallRecord,
  type InvocationStore,
  type SharedClock,
} from '#lib/transport';
import type { Answer } from './answer.js';
import type { AnswerEnricher, AnswerOptions } from './answer-enricher.js';
import type { Answers } from './answers.js';
import { firstEvent, type Call, type CallEvent, type CancelOptions, type ReaderOptions, type Resting } from './call.js';
import type { Endings } from './endings.js';
import type { RequestFacts } from './call-facts.js';

export interface JobCallServices {
  readonly store: Pick<InvocationStore, 'read'>;
  readonly followers: Followers;
  readonly answers: Answers;
  readonly enricher: AnswerEnricher;
  readonly endings: Endings;
  readonly clock: Pick<SharedClock, 'now'>;
}

interface JobCallParts {
  readonly jobId: string;
  readonly head: CallHead;
  /** The parameters as this caller gave them, or what the record of an earlier call has of them. */
  readonly input: unknown;
  /** When this caller stops waiting, in epoch milliseconds. */
  readonly deadline: number;
  /** Who reads; secrets are opened for the job's own caller alone. */
  readonly reader: Caller;
  readonly headers: Readonly<Record<string, string>>;
  /** True when another caller's call, or an earlier one of this caller, answers this call. */
  readonly joined: boolean;
  /** What is added to the answer for this reader. */
  readonly options: AnswerOptions;
  /** The record as it was read; null for a job that was created a moment ago. */
  readonly record: CallRecord | null;
  /** Of a job that was created a moment ago, which rests first. */
  readonly rest: Rest | null;
  /** What is thrown when the store has the job no more. */
  readonly gone: () => Refusal;
  /** Set when the job was followed before it was enqueued, so that no end is missed. */
  readonly follower: Follower | null;
  /** That started it; null for a call that was found. */
  readonly request: Pick<RequestFacts, 'steps' | 'span'> | null;
}

const retryMs = 1_000;
/** A timer cannot be longer. */
const mostTimerMs = 2 ** 31 - 1;

/** How long a call waited for its worker, and how long it ran then, with its retries. */
export interface JobTimes {
  readonly waitedMs: number;
  readonly ranMs: number;
}

/** A call that is a job: running, ended, or found again. */
export class JobCall implements Call {
  readonly #services: JobCallServices;
  readonly #job: JobCallParts;
  #record: CallRecord | null;
  #follower: Follower | null;
  /** When this caller stops waiting, in epoch ms. A rest moves it. */
  #deadline: number;
  #times: JobTimes | null = null;

  constructor(services: JobCallServices, job: JobCallParts) {
    this.#services = services;
    this.#job = job;
    this.#record = job.record;
    this.#follower = job.follower;
    this.#deadline = job.deadline;
  }

  get jobId(): string {
    return this.#job.jobId;
  }

  get toolName(): string {
    return this.#job.head.tool;
  }

  get traceId(): string {
    return this.#job.head.traceId;
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#job.headers;
  }

  get eventScope(): string {
    return this.#job.jobId;
  }

  get joined(): boolean {
    return this.#job.joined;
  }

  get resting(): Resting | null {
    const rest = this.#record?.rest ?? this.#job.rest;
    return rest && { rest };
  }

  /** Once `endOrRest` has told its end; null where it had no worker, or has rested. */
  get times(): JobTimes | null {
    return this.#times;
  }

  /** The job as it stands now. Throws when the store has it no more. */
  async job(): Promise<CallRecord> {
    this.#record ??= await this.#services.store.read(this.jobId);
    if (!this.#record) throw this.#job.gone();
    return this.#record;
  }

  /** Whether the job rests now, and the event at this place is that of this rest. Throws when the store is away. */
  async restsSince(seq: number): Promise<boolean> {
    const record = await this.#services.store.read(this.jobId);
    return record?.rest !== undefined && record.rest !== null && record.lastSeq === seq;
  }

  /** Whether the job had ended when it was found, and its log has nothing after this place. */
  isOver(after: number): boolean {
    return this.#record?.ending ? after === this.#record.lastSeq : false;
  }

  async answer(signal: AbortSignal | null, reader: ReaderOptions = {}): Promise<Answer | null> {
    const start = performance.now();
    const ending = this.#record?.ending ?? (signal && (await this.#ended(signal)));
    if (signal) this.#job.request?.steps.note('wait', start);
    return ending && this.#answerOf(ending, reader);
  }

  /** Waits for its end until the signal fires, and tells how it stands then: it has an answer exactly if it has ended. Throws as `answer` does. */
  async standing(signal: AbortSignal | null): Promise<{ readonly record: CallRecord; readonly answer: Answer | null }> {
    const answer = await this.answer(signal);
    const record = await this.job();
    return { record, answer: answer ?? (await this.answer(null)) };
  }

  async answerOrRest(signal: AbortSignal, reader: ReaderOptions = {}): Promise<Answer | Resting | null> {
    const start = performance.now();
    const { rest } = this.resting ?? {};
    const found = this.#record?.ending ?? (rest && isLong(rest) ? rest : await this.#found(signal, isLong));
    this.#job.request?.steps.note('wait', start);
    if (found === null) return null;
    return 'reason' in found ? { rest: found } : this.#answerOf(found, reader);
  }

  /** How the call ends, without its answer, or that it rests. Null when the signal fires first. Throws as `answer` does. */
  async endOrRest(signal: AbortSignal): Promise<EndState | 'resting' | null> {
    const found = this.#record?.ending ?? this.resting?.rest ?? (await this.#found(signal, () => true));
    if (!found || 'reason' in found) return found && 'resting';
    const { state, startedAt, finishedAt, restedMs } = found;
    if (startedAt !== null && restedMs === undefined)
      this.#times = { waitedMs: startedAt - this.#job.head.createdAt, ranMs: finishedAt - startedAt };
    return state;
  }

  async *events(after: number, signal: AbortSignal): AsyncGenerator<CallEvent> {
    // A place beyond the end of the log was never given out: replay from the start.
    const place = this.#record && after > this.#record.lastSeq ? 0 : after;
    using follower = this.#services.followers.follow(this.jobId, false);
    // An ended call has no deadline any more.
    using _timer = this.#record?.ending
      ? null
      : new DeadlineTimer(this.#job.deadline, () => this.#services.endings.expireRecord(this.#job), this.#services.clock);
    if (place < 1 && !signal.aborted) yield firstEvent(this.toolName, this.#job.head.createdAt);
    let last = Math.max(place, 1);
    for await (const entry of follower.events(place, signal)) {
      last = entry.seq;
      if (entry.kind !== 'end') {
        yield entry;
        continue;
      }
      // The follower waits on while Redis is away.
      const ending = await follower.end(signal);
      if (ending) return yield { ...entry, answer: await this.#answerOf(ending, {}) };
    }
    // The reader has all up to the end already, or the store has lost the call: then too it is told an end.
    if (!signal.aborted && !(await follower.end(signal)) && !signal.aborted) yield this.#lostAfter(last);
  }

  async cancel(why: string, { unlessJoined = false }: CancelOptions = {}): Promise<EndState | 'joined'> {
    return this.#services.endings.cancel(this.#job, why, { by: principal(this.#job.reader), unlessJoined });
  }

  [Symbol.dispose](): void {
    this.#follower?.[Symbol.dispose]();
    this.#follower = null;
  }

  async #ended(signal: AbortSignal): Promise<Ending | null> {
    const found = await this.#found(signal, null);
    return found && 'state' in found ? found : null;
  }

  /** Null when the signal fires first. At the caller's deadline the call ends as a timeout, unless it rests: then the deadline is later. */
  async #found(signal: AbortSignal, rests: ((rest: Rest) => boolean) | null): Promise<Ending | Rest | null> {
    const { followers, endings, clock } = this.#services;
    this.#follower ??= followers.follow(this.jobId, false);
    for (;;) {
      using limit = new TimeLimit(this.#deadline - clock.now(), signal);
      const found = rests ? await this.#follower.endOrRest(limit.signal, rests) : await this.#follower.end(limit.signal);
      // What was read before the wait no longer holds.
      this.#record = null;
      if (found) return found;
      if (!limit.timedOut) break;
      const later = await endings.laterDeadline(this.#job);
      const ending = later === null ? await endings.expire(this.#job) : null;
      if (ending) return ending;
      if (later !== null) this.#deadline = later;
    }
    if (!signal.aborted) throw this.#job.gone();
    return null;
  }

  #lostAfter(seq: number): CallEvent {
    const [at, outcome] = [Date.now(), { ok: false, error: this.#job.gone().error } as const];
    return {
      kind: 'end',
      seq: seq + 1,
      at,
      answer: { outcome, facts: { toolName: this.toolName, traceId: this.traceId, timestamp: at, jobId: this.jobId } },
    };
  }

  async #answerOf(ending: Ending, reader: ReaderOptions): Promise<Answer> {
    const { jobId, head, input, request } = this.#job;
    if (!ending.outcome.ok) request?.span.setAttribute('invoq.code', ending.outcome.error.code);
    const answer = await this.#services.answers.ofEnded({ jobId, head, ending }, this.#job.reader);
    return this.#services.enricher.enrich(answer, { ...this.#job.options, ...reader }, input);
  }
}

/** Whether whoever waits for an answer is told of the rest in its place. A line is a queue: who waits, waits on. */
function isLong({ reason }: Rest): boolean {
  return reason !== 'flow';
}

/** Ends the call at its deadline, which a caller who joins may move. Tries again while the store is away. */
class DeadlineTimer implements Disposable {
  readonly #expire: () => Promise<number | null>;
  readonly #clock: Pick<SharedClock, 'now'>;
  #timer: NodeJS.Timeout | undefined;
  #disposed = false;

  constructor(deadline: number, expire: () => Promise<number | null>, clock: Pick<SharedClock, 'now'>) {
    this.#clock = clock;
    this.#expire = expire;
    this.#arm(deadline);
  }

  [Symbol.dispose](): void {
    this.#disposed = true;
    clearTimeout(this.#timer);
  }

  #arm(deadline: number): void {
    if (this.#disposed) return;
    this.#timer = setTimeout(() => void this.#fire(), Math.min(mostTimerMs, Math.max(0, deadline - this.#clock.now()))).unref();
  }

  async #fire(): Promise<void> {
    const later = await this.#expire().catch(() => this.#clock.now() + retryMs);
    if (later !== null) this.#arm(later);
  }
}

/** The store has lost the call, for example by a restart without its data. */
export function lost(): Refusal {
  return new Refusal('NETWORK_ERROR', 'The call was lost with the store that held it; call again', { retry_after_ms: retryMs });
}

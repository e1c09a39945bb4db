import { Inject, Injectable } from '@nestjs/common';
import { cancelledOutcome, deadlineOutcome, declinedOutcome, type Decision, type EndState, type Outcome } from '#lib/contracts';
import {
  loggedCall,
  type CallReports,
  type EndedCall,
  type Ending,
  type CallHead,
  type CallRecord,
  type InvocationStore,
  type SharedClock,
  type ToolQueues,
  timesOf,
} from '#lib/transport';
import { InputStore } from './waiting/input-store.js';
import { WaitingTurns } from './waiting/waiting-turns.js';
import { ToolDirectory } from './tool-directory.js';
import { Stores } from '../stores.js';

interface EndingsParts {
  readonly store: Pick<InvocationStore, 'read' | 'isBack' | 'finish'>;
  readonly queues: Pick<ToolQueues, 'drop'>;
  readonly tools: ToolDirectory;
  /** Told how an input request came to its end. */
  readonly inputs: Pick<InputStore, 'byId' | 'settle'>;
  readonly turns: Pick<WaitingTurns, 'tell'>;
  readonly clock: Pick<SharedClock, 'now'>;
  readonly reports: CallReports;
}

type EndableCall = Pick<EndedCall, 'jobId' | 'head'>;

interface EndRequest {
  readonly state: Exclude<EndState, 'completed'>;
  /** @param attempts how often it was begun */
  readonly outcome: (attempts: number) => Outcome;
  /** Leaves the call alone when another caller has joined it. */
  readonly unlessJoined: boolean;
  /** Leaves it alone while it rests. */
  readonly unlessResting?: boolean;
  /** The number of the rest in which alone it ends. */
  readonly atRest?: number;
  /** Of the person who ends it. */
  readonly decision?: Decision;
  /** The record as it was read. */
  readonly before?: CallRecord | null;
}

/** When a call at rest is looked at again whose worker is late to wake it. */
const lateMs = 1_000;

/** Ends calls from outside their worker. The first end wins: each method gives back the end that holds. */
@Injectable()
export class Endings {
  readonly #parts: EndingsParts;

  constructor(
    @Inject(Stores) { store, queues, clock, reports }: Pick<EndingsParts, 'store' | 'queues' | 'clock' | 'reports'>,
    tools: ToolDirectory,
    @Inject(InputStore) inputs: EndingsParts['inputs'],
    @Inject(WaitingTurns) turns: EndingsParts['turns'],
  ) {
    this.#parts = { store, queues, clock, reports, tools, inputs, turns };
  }

  /**
   * Cancels a call. The worker that runs it is told to stop.
   * @param why the message of the caller's error
   * @param by the principal who cancels it
   * @param unlessJoined true leaves a call alone that another caller waits for as well
   * @returns how it ended, or `joined` when it was left alone
   */
  async cancel(
    job: EndableCall,
    why: string,
    { by, unlessJoined }: { readonly by: string; readonly unlessJoined: boolean },
  ): Promise<EndState | 'joined'> {
    const before = await this.#parts.store.read(job.jobId);
    const cancelled = { state: 'cancelled', outcome: () => cancelledOutcome(why), unlessJoined } as const;
    const asked = before?.rest?.inputRequest;
    if (before?.rest && asked !== undefined) {
      const decision = { request: asked, action: 'cancel', by, at: Math.floor(this.#parts.clock.now()), reason: why } as const;
      const { finished, ending } = await this.#end(job, { ...cancelled, before, atRest: before.rest.number, decision });
      if (finished === 'ended') {
        await this.#cancelOfCode(job.jobId, decision).catch(() => undefined);
        await this.#settle(decision, job.head).catch(() => undefined);
      }
      // Else somebody has just let it run.
      if (finished !== 'fenced') return finished === 'joined' ? finished : ending.state;
    }
    const { finished, ending } = await this.#end(job, { ...cancelled, before });
    return finished === 'joined' ? finished : ending.state;
  }

  /** Ends a call that rests for a person, who has declined it or cancels it. @returns whether it was this that ended it */
  async decide(record: CallRecord, decision: Decision): Promise<boolean> {
    const { reason } = decision;
    const isDeclined = decision.action === 'decline';
    const { finished } = await this.#end(record, {
      state: isDeclined ? 'failed' : 'cancelled',
      outcome: () =>
        isDeclined ? declinedOutcome(record.head.tool, reason) : cancelledOutcome(reason ?? 'Whoever was asked cancelled the call'),
      unlessJoined: false,
      atRest: record.rest?.number ?? 0,
      decision,
    });
    return finished === 'ended';
  }

  /**
   * Ends a call at the deadline of one caller (C-12). That caller gets a timeout; the call itself goes on when another
   * caller, who may have more time, has joined it.
   * @returns null where it rests: then it has no deadline
   */
  async expire(job: EndableCall): Promise<Ending | null> {
    const { finished, ending } = await this.#end(job, this.#timeout(job, true));
    return finished === 'resting' ? null : ending;
  }

  /** The deadline of a call that rests or has rested, where that is still to come, in epoch ms; null for every other call. */
  async laterDeadline({ jobId }: EndableCall): Promise<number | null> {
    const record = await this.#parts.store.read(jobId);
    if (!record || record.ending) return null;
    const now = this.#parts.clock.now();
    if (record.rest) return Math.max(record.deadline, now + lateMs);
    return Object.keys(record.rested).length > 0 && record.deadline > now ? record.deadline : null;
  }

  /**
   * Ends a call at the deadline of its record, which is the latest of all its callers.
   * @returns null when the call has ended, or the epoch milliseconds of a later deadline: of a caller who has joined, or of a rest
   */
  async expireRecord(job: EndableCall): Promise<number | null> {
    const later = await this.laterDeadline(job);
    if (later !== null) return later;
    const { finished } = await this.#end(job, this.#timeout(job, true));
    if (finished === 'resting') return this.#parts.clock.now() + lateMs;
    if (finished !== 'joined') return null;
    const record = await this.#parts.store.read(job.jobId);
    if (record && !record.ending && record.deadline > this.#parts.clock.now()) return record.deadline;
    await this.#end(job, this.#timeout(job, false));
    return null;
  }

  /** Cancels the call of code that rests for it. Others of the same code cannot be approved any more. */
  async #cancelOfCode(codeId: string, { request, by, reason = '' }: Decision): Promise<void> {
    const { inputs, store } = this.#parts;
    const row = await inputs.byId(request);
    const call = row && row.jobId !== codeId ? await store.read(row.jobId) : null;
    if (row && call?.head.caller.byCode && call.head.caller.turnId === codeId)
      await this.cancel({ jobId: row.jobId, head: call.head }, reason, { by, unlessJoined: false });
  }

  /** Notes it in its row. A sweeper does it where this fails. */
  async #settle({ request, by, at, reason }: Decision, { caller }: CallHead): Promise<void> {
    const { turns, inputs } = this.#parts;
    await turns.tell(request, caller);
    await inputs.settle(request, { state: 'cancelled', by, at, reason: reason ?? null });
  }

  #timeout({ head }: EndableCall, unlessJoined: boolean): EndRequest {
    return {
      state: 'failed',
      outcome: (attempts) => deadlineOutcome(head.tool, this.#parts.tools.contractOf(head), attempts),
      unlessJoined,
      unlessResting: true,
    };
  }

  async #end({ jobId, head }: EndableCall, { state, outcome, unlessJoined, unlessResting = false, atRest, decision, ...read }: EndRequest) {
    const before = read.before === undefined ? await this.#parts.store.read(jobId) : read.before;
    const now = this.#parts.clock.now();
    const times = before ? timesOf(before, now) : { startedAt: null, attempts: 0 };
    const ending: Ending = {
      ...times,
      state,
      outcome: outcome(times.attempts),
      finishedAt: now,
      executionMs: 0,
      networkMs: 0,
      ...(decision && { decision }),
    };
    const { store, reports } = this.#parts;
    const request = { jobId, head, ending, attempt: null, unlessJoined, unlessResting, ...(atRest !== undefined && { atRest }) };
    let finished = await store.finish(request);
    if (finished === 'fenced' && (await store.isBack(jobId))) finished = await store.finish(request);
    if (finished === 'ended') {
      reports.changes.push({ jobId, head, state, startedAt: ending.startedAt, attempts: ending.attempts, ending });
      reports.record(loggedCall({ jobId, head, ending }, this.#parts.tools.contractOf(head)), ending);
      // A job that has started cannot be dropped; its worker has been told to stop.
      await this.#parts.queues.drop(jobId).catch(() => undefined);
    }
    if (finished !== 'ended-before') return { finished, ending };
    return { finished, ending: (await this.#parts.store.read(jobId))?.ending ?? ending };
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { cancelledOutcome, deadlineOutcome, declinedOutcome, type Decision, type EndState, type Outcome } from '#lib/contracts';
import { loggedCall, type EndedCall, type Ending, type CallHead, type CallRecord, timesOf } from '#lib/transport';
import { InputStore } from './waiting/input-store.js';
import { WaitingTurns } from './waiting/waiting-turns.js';
import { ToolDirectory } from './tool-directory.js';
import { Stores } from '../stores.js';

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
  constructor(
    @Inject(Stores) private readonly stores: Pick<Stores, 'store' | 'queues' | 'clock' | 'reports'>,
    private readonly tools: ToolDirectory,
    @Inject(InputStore) private readonly inputs: Pick<InputStore, 'byId' | 'settle'>,
    @Inject(WaitingTurns) private readonly turns: Pick<WaitingTurns, 'tell'>,
  ) {}

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
    const before = await this.stores.store.read(job.jobId);
    const cancelled = { state: 'cancelled', outcome: () => cancelledOutcome(why), unlessJoined } as const;
    const asked = before?.rest?.inputRequest;
    if (before?.rest && asked !== undefined) {
      const decision = { request: asked, action: 'cancel', by, at: Math.floor(this.stores.clock.now()), reason: why } as const;
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
    const record = await this.stores.store.read(jobId);
    if (!record || record.ending) return null;
    const now = this.stores.clock.now();
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
    if (finished === 'resting') return this.stores.clock.now() + lateMs;
    if (finished !== 'joined') return null;
    const record = await this.stores.store.read(job.jobId);
    if (record && !record.ending && record.deadline > this.stores.clock.now()) return record.deadline;
    await this.#end(job, this.#timeout(job, false));
    return null;
  }

  /** Cancels the call of code that rests for it. Others of the same code cannot be approved any more. */
  async #cancelOfCode(codeId: string, { request, by, reason = '' }: Decision): Promise<void> {
    const { store } = this.stores;
    const row = await this.inputs.byId(request);
    const call = row && row.jobId !== codeId ? await store.read(row.jobId) : null;
    if (row && call?.head.caller.byCode && call.head.caller.turnId === codeId)
      await this.cancel({ jobId: row.jobId, head: call.head }, reason, { by, unlessJoined: false });
  }

  /** Notes it in its row. A sweeper does it where this fails. */
  async #settle({ request, by, at, reason }: Decision, { caller }: CallHead): Promise<void> {
    await this.turns.tell(request, caller);
    await this.inputs.settle(request, { state: 'cancelled', by, at, reason: reason ?? null });
  }

  #timeout({ head }: EndableCall, unlessJoined: boolean): EndRequest {
    return {
      state: 'failed',
      outcome: (attempts) => deadlineOutcome(head.tool, this.tools.contractOf(head), attempts),
      unlessJoined,
      unlessResting: true,
    };
  }

  async #end({ jobId, head }: EndableCall, { state, outcome, unlessJoined, unlessResting = false, atRest, decision, ...read }: EndRequest) {
    const before = read.before === undefined ? await this.stores.store.read(jobId) : read.before;
    const now = this.stores.clock.now();
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
    const { store, reports } = this.stores;
    const request = { jobId, head, ending, attempt: null, unlessJoined, unlessResting, ...(atRest !== undefined && { atRest }) };
    let finished = await store.finish(request);
    if (finished === 'fenced' && (await store.isBack(jobId))) finished = await store.finish(request);
    if (finished === 'ended') {
      reports.changes.push({ jobId, head, state, startedAt: ending.startedAt, attempts: ending.attempts, ending });
      reports.record(loggedCall({ jobId, head, ending }, this.tools.contractOf(head)), ending);
      // A job that has started cannot be dropped; its worker has been told to stop.
      await this.stores.queues.drop(jobId).catch(() => undefined);
    }
    if (finished !== 'ended-before') return { finished, ending };
    return { finished, ending: (await this.stores.store.read(jobId))?.ending ?? ending };
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { SpanStatusCode } from '@opentelemetry/api';
import { hasScope, Refusal, type Caller } from '#lib/contracts';
import { Authenticator } from '../../callers/authenticator.js';
import { toRefusal } from '../../calls/to-refusal.js';
import { keptCaller } from '../../callers/kept-caller.js';
import { ownFacts } from '../../calls/own-facts.js';
import { Calls } from '../../calls/calls.js';
import { defaultOptions } from '../../calls/options.js';
import { argumentsPurpose, jitterOf, planOf, type RunRow, type ScheduleRow } from './schedule-row.js';
import { type PlannedRun, ScheduleStore, type Settled } from './schedule-store.js';
import { Stores } from '../../stores.js';
import { SharedClock } from '#lib/transport';

/** A moment that is longer past when it is first seen was missed: no gateway was there. */
const missedAfterMs = 60_000;
/** The most missed moments that are called after all. */
const mostMissed = 100;
/** With one a second, those of the last minute are there too. */
const mostPlanned = mostMissed + missedAfterMs / 1_000 + 1;
/** Runs of one schedule that may wait for the one before them. */
const mostWaiting = 100;
/** A call that is refused for the moment is tried again for so long. */
const triedForMs = 300_000;
/** How often it is asked whether the run before has ended, and whether what was away is back. */
const askAgainMs = 1_000;
const mostPauseMs = 30_000;
/** An Idempotency-Key is known for 24 h. Before that is over, nothing is called that may have been called. */
const surelyKnownMs = 23 * 3_600_000;

/** Refusals that say nothing about the next try. */
const passing: ReadonlySet<string> = new Set(['NETWORK_ERROR', 'OVERLOADED', 'RATE_LIMITED', 'EXECUTION_ERROR']);

/**
 * Makes the calls of a schedule that are due. First the moments are written down, and how far the plan has come, in one transaction; then each is
 * called under a key of its own, and what came of it is written down. So whoever dies leaves the rest to the next, two at once make one call,
 * and no moment comes back when a clock is set back.
 */
@Injectable()
export class Firing {
  constructor(
    @Inject(Stores)
    private readonly stores: Pick<Stores, 'store' | 'sealer' | 'log'> & {
      readonly servedDirectory: { readonly prepare: (tenantId: string) => Promise<void> | void };
    },
    @Inject(ScheduleStore)
    private readonly store: Pick<ScheduleStore, 'plan' | 'dueRuns' | 'tried' | 'settle' | 'rest' | 'stop' | 'forgetOldRuns'>,
    @Inject(Calls) private readonly calls: Pick<Calls, 'start'>,
    private readonly authenticator: Authenticator,
    @Inject(SharedClock) private readonly clock: Pick<SharedClock, 'now'>,
  ) {}

  /** Does what is due of one schedule now, and says when to look again. Rejects when a store is away. */
  async handle(row: ScheduleRow): Promise<void> {
    const plan = planOf(row);
    const waiting = await this.store.dueRuns(row, mostWaiting);
    const { runs, until } = this.#plan(row, plan.newest(row.plannedUntil.getTime(), this.clock.now(), mostPlanned), waiting.length);
    const planned = { ...row, plannedUntil: new Date(until) };
    if (runs.length > 0 && !(await this.store.plan(row, runs, planned.plannedUntil))) return;
    const due = runs.length > 0 ? await this.store.dueRuns(row, mostWaiting) : waiting;
    const againAt = due.length === 0 ? null : await this.#callAll(planned, due);
    if (againAt === 'stopped') return;
    const next = plan.next(until);
    const nextDue = next === null ? [] : [next + jitterOf(row, next)];
    const lookAt = [...nextDue, ...(againAt === null ? [] : [againAt])];
    await this.store.rest(planned, {
      nextAt: next === null ? null : new Date(next),
      lookAt: lookAt.length === 0 ? null : new Date(Math.min(...lookAt)),
    });
    if (runs.length > 0 && Math.random() < 0.02) await this.store.forgetOldRuns(row);
  }

  /** What becomes of the moments that have come, and the last of them. @param waiting how many wait already */
  #plan(row: ScheduleRow, moments: readonly number[], waiting: number): { readonly runs: readonly PlannedRun[]; readonly until: number } {
    const now = this.clock.now();
    const dueFrom = (at: number): number => at + jitterOf(row, at);
    const early = moments.findIndex((at) => dueFrom(at) > now);
    const come = early < 0 ? moments : moments.slice(0, early);
    const missed = come.filter((at) => dueFrom(at) < now - missedAfterMs);
    const runs: PlannedRun[] = [];
    const add = (at: number, state: PlannedRun['state'], waits: boolean): void => void runs.push({ at: new Date(at), state, waits });
    const newest = missed.at(-1);
    if (newest !== undefined && row.missed === 'skip') add(newest, 'missed', false);
    // Those that come late stand in nobody's way, and nobody in theirs: they wait for each other.
    if (newest !== undefined && row.missed === 'once') add(newest, 'due', true);
    if (row.missed === 'all') for (const at of missed.slice(-mostMissed)) add(at, 'due', row.overlap !== 'allow');
    let room = mostWaiting - waiting;
    for (const at of come.slice(missed.length)) add(at, room-- > 0 ? 'due' : 'skipped', row.overlap === 'queue');
    return { runs, until: come.at(-1) ?? row.plannedUntil.getTime() };
  }

  /** @returns when to come back for what waits, in epoch ms; null where nothing does */
  async #callAll(row: ScheduleRow, due: readonly RunRow[]): Promise<number | null | 'stopped'> {
    const caller = await this.#callerOf(row);
    if (typeof caller === 'number') return caller;
    if (!caller) return 'stopped';
    let lastJobId = row.lastJobId;
    for (const run of due) {
      // One that was tried may have been called, by a gateway that was lost.
      const isFree = row.overlap === 'allow' || run.triedAt !== null || lastJobId === null || !(await this.#isOpen(lastJobId));
      if (!isFree && run.waits) return this.clock.now() + askAgainMs;
      const settled = isFree ? await this.#call(row, run, caller) : ({ state: 'skipped' } as const);
      if (typeof settled === 'number') return settled;
      await this.store.settle(run, settled, new Date(this.clock.now()));
      if (settled.state === 'called') lastJobId = settled.jobId ?? lastJobId;
    }
    return due.length === mostWaiting ? this.clock.now() : null;
  }

  /** The caller with the rights that its maker has today; a time to try again; null where it has none any more, and the schedule is stopped. */
  async #callerOf(row: ScheduleRow): Promise<Caller | number | null> {
    try {
      const caller = await this.authenticator.callerAgain(keptCaller.parse(row.maker));
      if (hasScope(caller, 'schedules')) return caller;
      return await this.stop(row, 'Its maker has lost the scope schedules');
    } catch (error) {
      const refusal = toRefusal(error);
      if (passing.has(refusal.error.family)) return this.clock.now() + pauseOf(refusal);
      return this.stop(row, refusal.message);
    }
  }

  /** Its maker may not call any more: it waits for its owner, and says why. */
  async stop(row: Pick<ScheduleRow, 'id' | 'revision' | 'tenantId' | 'owner'>, reason: string): Promise<null> {
    const { log } = this.stores;
    if (await this.store.stop(row, reason, new Date(this.clock.now())))
      log.warn(
        { event: 'schedule-stopped', schedule_id: row.id, tenant_id: row.tenantId, owner: row.owner, reason },
        'a schedule has stopped, because its maker may not call any more',
      );
    return null;
  }

  async #isOpen(jobId: string): Promise<boolean> {
    const record = await this.stores.store.read(jobId);
    return record !== null && !record.ending;
  }

  /** @returns what came of it, or when to try again, in epoch ms */
  async #call(row: ScheduleRow, run: RunRow, caller: Caller): Promise<Settled | number> {
    const { sealer, servedDirectory, log } = this.stores;
    const triedAt = run.triedAt?.getTime() ?? this.clock.now();
    if (this.clock.now() - triedAt > surelyKnownMs)
      return failed('EXECUTION_ERROR', 'A gateway was lost while it called, and nobody came for a day: it may have been called');
    await this.store.tried(run, new Date(triedAt));
    const facts = ownFacts('schedule', { 'invoq.schedule': row.id, 'invoq.tool': row.tool }, caller);
    try {
      await servedDirectory.prepare(row.tenantId);
      const input: unknown = JSON.parse(sealer.openText(row.arguments, argumentsPurpose(row)));
      using call = await this.calls.start({
        tool: row.tool,
        input: () => input,
        caller,
        facts,
        options: defaultOptions,
        idempotencyKey: `schedule/${row.id}/${run.at.toISOString()}`,
        sessionId: null,
        known: [],
        waits: false,
      });
      return { state: 'called', jobId: call.jobId };
    } catch (error) {
      facts.span.setStatus({ code: SpanStatusCode.ERROR });
      const refusal = toRefusal(error);
      const { family, native_code } = refusal.error;
      // It was called with what the schedule said before it was changed, by a gateway that could not write it down.
      if (family === 'IDEMPOTENCY_CONFLICT') return { state: 'called', jobId: null };
      if (passing.has(family) && this.clock.now() - triedAt < triedForMs) return this.clock.now() + pauseOf(refusal);
      log.warn(
        { event: 'schedule-refused', schedule_id: row.id, tenant_id: row.tenantId, trace_id: facts.traceId, code: family },
        refusal.message,
      );
      return failed(native_code === undefined ? family : String(native_code), refusal.message);
    } finally {
      facts.span.end();
    }
  }
}

function failed(code: string, message: string): Settled {
  return { state: 'failed', error: { code, message: message.slice(0, 1_000) } };
}

function pauseOf({ error }: Refusal): number {
  return Math.min(mostPauseMs, Math.max(askAgainMs, error.retry_after_ms ?? askAgainMs));
}

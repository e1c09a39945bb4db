// How the calls of a domain end, within an attempt and from outside of one.
import {
  deadlineOutcome,
  failureCode,
  failureError,
  undecidedOutcome,
  type CalledTool,
  type FailureKind,
  type Outcome,
  type ToolContract,
} from '#lib/contracts';
import type { Logger } from '#lib/platform';
import {
  loggedCall,
  recordLifeMs,
  type CallReports,
  type Ending,
  type FinishResult,
  type CallHead,
  type CallRecord,
  timesOf,
  type InvocationStore,
} from '#lib/transport';
import { fileBytesFact, type AttemptResult, type Facts } from '#lib/handlers';
import { withUpstreamAnswers } from './outcomes.js';
import type { JobSteps } from './job-steps.js';

/** A call that ends, and what is known of it. */
export interface EndedAttempt {
  readonly jobId: string;
  readonly head: CallHead;
  readonly attempt: number | null;
  readonly contract?: ToolContract;
  readonly facts?: Facts;
  /** What the attempt threw, where that may be shown. */
  readonly thrown?: string | undefined;
  /** Of this attempt only: shown to those who read the job, and not kept in the cache. */
  readonly upstreamAnswers?: AttemptResult['upstreamAnswers'];
  /** The outcome's data with its secrets encrypted. */
  readonly sealed?: string;
  /** The number of the rest in which alone it may end; without it, it may not rest. */
  readonly atRest?: number;
  /** Whether the job completes with the call. */
  readonly completes?: boolean;
}

interface CallEndsParts {
  readonly store: InvocationStore;
  readonly steps: Pick<JobSteps, 'end'>;
  readonly registry: { readonly find: (called: CalledTool) => { readonly contract: ToolContract } | undefined };
  readonly reports: CallReports;
  readonly log: Logger;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Ends calls. Every end is fenced, so a call that several would end ends once. */
export class CallEnds {
  readonly #parts: CallEndsParts;

  constructor(parts: CallEndsParts) {
    this.#parts = parts;
  }

  /** Ends a job that the queue itself gave up, because more than one worker that took it died or lost Redis. */
  async abandon(jobId: string): Promise<void> {
    const record = await this.#parts.store.read(jobId);
    if (!record || record.ending) return;
    const outcome = this.#failure(record.head, 'internal', lostTwice);
    await this.end({ jobId, head: record.head, attempt: null }, this.ending('failed', outcome, timesOf(record, this.#parts.now())));
  }

  /** Ends an open invocation that nobody runs, so that its caller need not wait for the deadline. */
  async endUnserved(jobId: string): Promise<void> {
    const record = await this.#parts.store.read(jobId);
    if (!record || record.ending) return;
    await this.endUnservedJob({ jobId, head: record.head, attempt: null }, timesOf(record, this.#parts.now()));
  }

  /** Ends an open invocation as a timeout, unless who joined it has moved its deadline. */
  async expire(jobId: string): Promise<void> {
    const record = await this.#parts.store.read(jobId);
    if (!record) return this.#parts.store.open.forget(jobId);
    if (!record.ending && record.deadline <= this.#parts.now()) await this.expireNow(jobId, record.head);
  }

  /** Ends a call that rests for a decision, unless one has come, or it rests for another. */
  async endUndecided(record: CallRecord): Promise<void> {
    const ending = this.ending('failed', undecidedOutcome(record.head.tool), timesOf(record, this.#parts.now()));
    await this.end({ jobId: record.jobId, head: record.head, attempt: null, atRest: record.rest?.number ?? 0 }, ending);
  }

  /** Ends a call that waits for others as a timeout, unless it waits no more. */
  async expireAtRest(record: CallRecord): Promise<void> {
    const { jobId, head, rest } = record;
    const times = timesOf(record, this.#parts.now());
    const outcome = deadlineOutcome(head.tool, this.#parts.registry.find(head)?.contract, times.attempts);
    await this.end({ jobId, head, attempt: null, atRest: rest?.number ?? 0 }, this.ending('failed', outcome, times));
  }

  /** The tool was replaced or removed, or its worker is gone, while the call waited: the same call may succeed later. */
  async endUnservedJob(job: EndedAttempt, times: Pick<Ending, 'startedAt' | 'attempts' | 'reportedMicros' | 'model'>): Promise<void> {
    const outcome = this.#failure(job.head, 'network', `No worker serves ${job.head.tool} ${job.head.version} any more; call again`);
    await this.end(job, this.ending('failed', outcome, times));
  }

  async expireNow(jobId: string, head: CallHead): Promise<void> {
    const record = await this.#parts.store.read(jobId);
    const times = record ? timesOf(record, this.#parts.now()) : { startedAt: null, attempts: 0 };
    const outcome = deadlineOutcome(head.tool, this.#parts.registry.find(head)?.contract, times.attempts);
    await this.end({ jobId, head, attempt: null }, this.ending('failed', outcome, times));
  }

  async end(job: EndedAttempt, end: Ending): Promise<void> {
    const { jobId, head, attempt, contract, facts, upstreamAnswers, sealed, atRest, completes } = job;
    const { store, steps } = this.#parts;
    const keep =
      end.outcome.ok && contract?.cache
        ? { lifeMs: contract.cache.ttlSeconds * 1_000, entry: { cachedAt: end.finishedAt, jobId, outcome: end.outcome } }
        : undefined;
    const request = {
      jobId,
      head,
      ending: withUpstreamAnswers(end, upstreamAnswers),
      attempt,
      ...(atRest === undefined ? { unlessResting: true } : { atRest }),
      cache: keep,
      fileBytes: Number(facts?.[fileBytesFact] ?? 0),
      flightWindowMs: contract?.singleFlight?.windowMs,
      sealed: sealed === undefined ? undefined : { text: sealed, lifeMs: contract?.secretLife?.ms ?? recordLifeMs },
    };
    if (completes) await steps.end(request, (finished) => this.#onEnded(job, end, finished));
    else this.#onEnded(job, end, await store.finish(request));
  }

  #onEnded({ jobId, head, facts, thrown }: EndedAttempt, ending: Ending, finished: FinishResult): void {
    const { reports } = this.#parts;
    if (finished === 'ended') {
      reports.changes.push({ jobId, head, state: ending.state, startedAt: ending.startedAt, attempts: ending.attempts, ending });
      const call = loggedCall({ jobId, head, ending }, this.#parts.registry.find(head)?.contract);
      return reports.record(call, { outcome: ending.outcome, thrown, facts });
    }
    if (finished === 'fenced' || finished === 'ended-before') reports.metrics.fencedWrites.inc();
    this.#parts.log.warn(
      { event: 'late-end', job_id: jobId, trace_id: head.traceId, finished },
      'the invocation had been ended or taken over; this end is dropped',
    );
  }

  ending(state: Ending['state'], outcome: Outcome, times: Pick<Ending, 'startedAt' | 'attempts'> & Partial<Ending>): Ending {
    return { executionMs: 0, networkMs: 0, ...times, state, outcome, finishedAt: this.#parts.now() };
  }

  #failure(head: CallHead, kind: FailureKind, message: string): Outcome {
    const contract = this.#parts.registry.find(head)?.contract;
    const family = failureCode[kind];
    return { ok: false, error: contract ? failureError(contract, kind, { message }) : { code: family, family, message } };
  }
}

const lostTwice = 'Two workers that ran this call were lost: they ended, or their connection did; it is not tried again';

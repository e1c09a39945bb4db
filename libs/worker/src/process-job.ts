// What a worker does with one job: take it up → run an attempt → end it, or ask the queue for another attempt.
import { DelayedError, UnrecoverableError } from 'bullmq';
import {
  deadlineOutcome,
  failureCode,
  failureError,
  tokensOf,
  undecidedOutcome,
  type FailureKind,
  type Outcome,
  type ToolContract,
} from '#lib/contracts';
import { RecentMap, type Logger } from '#lib/platform';
import {
  endedCall,
  recordLifeMs,
  runSink,
  sharedClock,
  type EventLog,
  type BeginResult,
  type Ending,
  type FinishResult,
  type InvocationHead,
  type InvocationRecord,
  type InvocationStore,
  type Sealer,
  metric,
  recordCall,
} from '#lib/transport';
import { fileBytesFact, type Facts, withParameters, runTool, type AttemptResult } from '#lib/handlers';
import { attemptRecords, type HooksFrom } from './attempt-records.js';
import type { QueueJob } from './held-job.js';
import { stepsAlone, type RunSteps } from './run-steps.js';
import { progressWriter } from './progress-writer.js';
import type { Registry } from './registry.js';
import { endedElsewhere, giveBack, GivenBack, release, shutdown } from './release.js';
import { restJob } from './rest-job.js';
import { spendRetry } from './spend-retry.js';
import { timesOf } from './times-of.js';
import { failureOf, successOf, withUpstreamAnswers } from './outcomes.js';
import { tracedAttempt } from './traced-attempt.js';

export interface JobProcessorParts<Services> {
  readonly store: InvocationStore;
  /** Default: each is written at once. */
  readonly steps?: RunSteps;
  readonly events: EventLog;
  readonly sealer: Sealer;
  readonly registry: Pick<Registry<Services>, 'find' | 'resolve'>;
  readonly services: Services;
  readonly log: Logger;
  readonly domain: string;
  /** Epoch milliseconds. Default: the shared clock. */
  readonly now?: () => number;
  /** Where hooks are called. Default: this process does not know. */
  readonly hooks?: HooksFrom | null;
  /** Whether spans say why an attempt failed: in development. */
  readonly showCauses?: boolean;
  /** 0 to 1, for the jitter of delays. */
  readonly random?: () => number;
}

type Run = Extract<BeginResult, { kind: 'run' }>;

/** Held by this worker, until the controller fires. */
interface Taken {
  /** Of the job's lock. */
  readonly token: string;
  readonly controller: AbortController;
}

interface EndedJob {
  readonly jobId: string;
  readonly head: InvocationHead;
  readonly run: number | null;
  readonly contract?: ToolContract;
  readonly facts?: Facts;
  /** Of this run only: shown to those who read the job, and not kept in the cache. */
  readonly upstreamAnswers?: AttemptResult['upstreamAnswers'];
  /** The outcome's data with its secrets encrypted. */
  readonly sealed?: string;
  /** The number of the rest in which alone it may end; without it, it may not rest. */
  readonly atRest?: number;
  /** Whether the job completes with the call. */
  readonly completes?: boolean;
}

const stillRunningDelayMs = 1_000;
const rememberedStops = 1_000;

/** Takes jobs up and ends their invocations. Every write is fenced by the run, so a job that two workers hold ends once. */
export class JobProcessor<Services extends object> {
  readonly #parts: Required<JobProcessorParts<Services>>;
  /** Attempts that run here, so they can be stopped by id. */
  readonly #running = new Map<string, AbortController>();
  /** Calls that were ended elsewhere: the word of that may be here before their job. */
  readonly #stopped = new RecentMap<string, true>(rememberedStops);
  #isReleasing = false;

  constructor(parts: JobProcessorParts<Services>) {
    this.#parts = { showCauses: false, hooks: null, now: sharedClock.now, random: Math.random, steps: stepsAlone(parts.store), ...parts };
  }

  get running(): number {
    return this.#running.size;
  }

  /** Stops the attempt of a call that was ended elsewhere: cancelled, or past its deadline. */
  stop(jobId: string): void {
    const running = this.#running.get(jobId);
    if (running) running.abort(endedElsewhere);
    else this.#stopped.set(jobId, true);
  }

  /** Stops one attempt that cannot go on here; the job goes back to the queue and runs again under the same effect key. */
  giveBack(jobId: string, why: GivenBack): void {
    this.#running.get(jobId)?.abort(why);
  }

  /** Stops everything; the jobs go back to the queue, and so does what comes after. */
  releaseAll(): void {
    this.#isReleasing = true;
    for (const controller of this.#running.values()) controller.abort(shutdown);
  }

  async process(job: QueueJob, token: string): Promise<string> {
    const jobId = job.id ?? '';
    // What was just released may come back to this worker before its queue has closed.
    if (this.#isReleasing) return release(job, token);
    if (this.#running.has(jobId)) {
      // After a pause the queue may give back what still runs here. Two attempts of one id in one process would share one lock
      // renewal, and the end of the first would stop that of the second. So this job comes back later.
      await job.moveToDelayed(this.#parts.now() + stillRunningDelayMs, token);
      throw new DelayedError();
    }
    // From here on, so that a call that ends elsewhere while it is taken up does not run.
    const controller = new AbortController();
    if (this.#stopped.get(jobId)) controller.abort(endedElsewhere);
    this.#running.set(jobId, controller);
    try {
      return await this.#takeUp(job, { token, controller });
    } finally {
      if (this.#running.get(jobId) === controller) this.#running.delete(jobId);
    }
  }

  async #takeUp(job: QueueJob, { token, controller }: Taken): Promise<string> {
    const jobId = job.id ?? '';
    const begun = await this.#parts.steps.begin(jobId, this.#parts.now());
    switch (begun.kind) {
      case 'unknown':
        this.#parts.log.error({ event: 'job-unknown', job_id: jobId }, 'a job without a record of ours was dropped');
        throw new UnrecoverableError('no record');
      case 'ended':
        return 'ended before';
      case 'expired':
        await this.#expire(jobId, begun.head);
        return 'expired';
      case 'run':
        return this.#run(job, begun, { token, controller });
    }
  }

  /** Ends a job that the queue itself gave up, because more than one worker that took it died or lost Redis. */
  async abandon(jobId: string): Promise<void> {
    const record = await this.#parts.store.read(jobId);
    if (!record || record.ending) return;
    const outcome = this.#failure(record.head, 'internal', lostTwice);
    await this.#end({ jobId, head: record.head, run: null }, this.#ending('failed', outcome, timesOf(record, this.#parts.now())));
  }

  /** Ends an open invocation that nobody runs, so that its caller need not wait for the deadline. */
  async endUnserved(jobId: string): Promise<void> {
    const record = await this.#parts.store.read(jobId);
    if (!record || record.ending) return;
    await this.#endUnserved({ jobId, head: record.head, run: null }, timesOf(record, this.#parts.now()));
  }

  /** Ends an open invocation as a timeout, unless who joined it has moved its deadline. */
  async expire(jobId: string): Promise<void> {
    const record = await this.#parts.store.read(jobId);
    if (!record) return this.#parts.store.open.forget(jobId);
    if (!record.ending && record.deadline <= this.#parts.now()) await this.#expire(jobId, record.head);
  }

  /** Ends a call that rests for a decision, unless one has come, or it rests for another. */
  async endUndecided(record: InvocationRecord): Promise<void> {
    const ending = this.#ending('failed', undecidedOutcome(record.head.tool), timesOf(record, this.#parts.now()));
    await this.#end({ jobId: record.jobId, head: record.head, run: null, atRest: record.rest?.number ?? 0 }, ending);
  }

  async #run(job: QueueJob, begun: Run, { token, controller }: Taken): Promise<string> {
    const jobId = job.id ?? '';
    const { head, run } = begun;
    const { store, log, domain, showCauses, hooks } = this.#parts;
    const handler = await this.#parts.registry.resolve(head);
    if (!handler) {
      await this.#endUnserved({ jobId, head, run }, { startedAt: begun.startedAt, attempts: run });
      throw new UnrecoverableError('no handler');
    }
    const { readyAt = head.createdAt } = begun.rested;
    if (run === 1) metric.queueSeconds.observe({ domain }, Math.max(0, this.#parts.now() - readyAt) / 1_000);
    metric.toolAttempts.inc({ tool: head.tool });

    const onUnwanted = (): void => controller.abort(endedElsewhere);
    const { hasStep, ...kept } = attemptRecords({ store, hooks, now: this.#parts.now, jobId, run, kept: begun.steps, token, onUnwanted });
    const result = await tracedAttempt({ jobId, head, run, domain, showCauses, log }, (onLog) =>
      runTool(head.body ? withParameters(handler, () => store.parametersOf(head)) : handler, this.#parts.services, {
        jobId,
        number: run,
        input: head.input,
        caller: head.caller,
        sessionId: head.sessionId,
        known: head.known,
        stop: controller.signal,
        onProgress: progressWriter({ store, log, jobId, run, onUnwanted }),
        onLog,
        traceId: head.traceId,
        debug: head.wishes?.debug ?? false,
        output: async (data) => {
          if (!(await store.output(jobId, run, data))) onUnwanted();
        },
        earlierOutput: async () => (run === 1 ? [] : this.#parts.events.outputs(jobId)),
        ...kept,
      }),
    );
    if (result.kind === 'stopped' && controller.signal.reason === shutdown) {
      return await release(job, token);
    }
    if (result.kind === 'stopped' && controller.signal.reason instanceof GivenBack) {
      // It may be taken again here before this returns.
      this.#running.delete(jobId);
      const { store: stalls, now } = this.#parts;
      return await giveBack(job, controller.signal.reason, { store: stalls, token, now: now(), abandon: (id) => this.abandon(id) });
    }
    if (result.kind === 'resting') {
      const { contract } = handler;
      return await restJob(this.#parts, { jobId, head, contract, run, token, waits: result.waits, hasStep: hasStep() });
    }
    return await this.#conclude(jobId, begun, { contract: handler.contract, result });
  }

  async #conclude(
    jobId: string,
    begun: Run,
    { contract, result }: { contract: ToolContract; result: Exclude<AttemptResult, { kind: 'resting' }> },
  ): Promise<string> {
    const { head, run } = begun;
    const { executionMs, networkMs } = result;
    const times = { ...begun.rested, startedAt: begun.startedAt, attempts: run, executionMs, networkMs };
    const job = { jobId, head, run, contract, facts: result.facts, upstreamAnswers: result.upstreamAnswers };
    switch (result.kind) {
      case 'stopped':
        return 'stopped';
      case 'done': {
        metric.toolOutputTokens.observe({ tool: head.tool }, tokensOf(result.data));
        const { data, sealed } = this.#parts.sealer.sealData(contract, result.data, { jobId, caller: head.caller });
        const outcome = successOf(result, { data, sealed });
        await this.#end(
          { ...job, completes: true, ...(sealed && { sealed: JSON.stringify(data) }) },
          this.#ending('completed', outcome, times),
        );
        return 'done';
      }
      case 'unchanged':
        await this.#end(
          { ...job, completes: true },
          this.#ending('completed', { ok: true, data: {}, version: result.version, unchanged: true }, times),
        );
        return 'unchanged';
      case 'refused':
        await this.#end({ ...job, completes: true }, this.#ending('completed', { ok: false, error: result.error }, times));
        return result.error.native_code ?? result.error.code;
      case 'failed': {
        this.#parts.log.warn(
          {
            event: 'attempt-failed',
            job_id: jobId,
            trace_id: head.traceId,
            tool_name: head.tool,
            attempt: run,
            failure: result.failure,
            ...(head.requestId !== undefined && { request_id: head.requestId }),
            err: result.cause,
          },
          'attempt failed',
        );
        const retry = await spendRetry(this.#parts, { jobId, begun, contract, result });
        if (retry) throw retry;
        await this.#end(job, this.#ending('failed', failureOf(result, head.wishes?.debug ? run : null), times));
        throw new UnrecoverableError(result.error.code);
      }
    }
  }

  /** The tool was replaced or removed, or its worker is gone, while the call waited: the same call may succeed later. */
  async #endUnserved(job: EndedJob, times: Pick<Ending, 'startedAt' | 'attempts'>): Promise<void> {
    const outcome = this.#failure(job.head, 'network', `No worker serves ${job.head.tool} ${job.head.version} any more; call again`);
    await this.#end(job, this.#ending('failed', outcome, times));
  }

  async #expire(jobId: string, head: InvocationHead): Promise<void> {
    const record = await this.#parts.store.read(jobId);
    const times = record ? timesOf(record, this.#parts.now()) : { startedAt: null, attempts: 0 };
    const outcome = deadlineOutcome(head.tool, this.#parts.registry.find(head)?.contract, times.attempts);
    await this.#end({ jobId, head, run: null }, this.#ending('failed', outcome, times));
  }

  async #end(job: EndedJob, end: Ending): Promise<void> {
    const { jobId, head, run, contract, facts, upstreamAnswers, sealed, atRest, completes } = job;
    const { store, steps } = this.#parts;
    const keep =
      end.outcome.ok && contract?.cache
        ? { lifeMs: contract.cache.ttlSeconds * 1_000, entry: { cachedAt: end.finishedAt, outcome: end.outcome } }
        : undefined;
    const request = {
      jobId,
      head,
      ending: withUpstreamAnswers(end, upstreamAnswers),
      run,
      ...(atRest === undefined ? { unlessResting: true } : { atRest }),
      cache: keep,
      fileBytes: Number(facts?.[fileBytesFact] ?? 0),
      flightWindowMs: contract?.singleFlight?.windowMs,
      sealed: sealed === undefined ? undefined : { text: sealed, lifeMs: contract?.secretLife?.ms ?? recordLifeMs },
    };
    if (completes) await steps.end(request, (finished) => this.#onEnded(job, end, finished));
    else this.#onEnded(job, end, await store.finish(request));
  }

  #onEnded({ jobId, head, facts }: EndedJob, ending: Ending, finished: FinishResult): void {
    if (finished === 'ended') {
      runSink.push({ jobId, head, state: ending.state, startedAt: ending.startedAt, runs: ending.attempts, ending });
      return recordCall(this.#parts.log, endedCall({ jobId, head, ending }, this.#parts.registry.find(head)?.contract), facts);
    }
    if (finished === 'fenced' || finished === 'ended-before') metric.fencedWrites.inc();
    this.#parts.log.warn(
      { event: 'late-end', job_id: jobId, trace_id: head.traceId, finished },
      'the invocation had been ended or taken over; this end is dropped',
    );
  }

  #ending(state: Ending['state'], outcome: Outcome, times: Pick<Ending, 'startedAt' | 'attempts'> & Partial<Ending>): Ending {
    return { executionMs: 0, networkMs: 0, ...times, state, outcome, finishedAt: this.#parts.now() };
  }

  #failure(head: InvocationHead, kind: FailureKind, message: string): Outcome {
    const contract = this.#parts.registry.find(head)?.contract;
    const family = failureCode[kind];
    return { ok: false, error: contract ? failureError(contract, kind, { message }) : { code: family, family, message } };
  }
}

const lostTwice = 'Two workers that ran this call were lost: they ended, or their connection did; it is not tried again';

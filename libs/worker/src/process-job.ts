// What a worker does with one job: take it up → run an attempt → end it, or ask the queue for another attempt.
import { DelayedError, UnrecoverableError, WaitingError, type Job } from 'bullmq';
import { deadlineOutcome, failureCode, failureError, tokensOf, type FailureKind, type Outcome, type ToolContract } from '#lib/contracts';
import type { Logger } from '#lib/platform';
import {
  endedCall,
  recordLifeMs,
  type EventLog,
  type BeginResult,
  type Ending,
  type InvocationHead,
  type InvocationStore,
  type QueuedInvocation,
  type Sealer,
  metric,
  recordCall,
} from '#lib/transport';
import type { Facts } from './context.js';
import { progressWriter } from './progress-writer.js';
import type { Registry } from './registry.js';
import { retryDelayMs, retryRuleFor } from './retry-decision.js';
import { RetryLater } from './retry-later.js';
import { runTool, type AttemptResult } from './run-tool.js';
import { successOf, withUpstreamAnswers } from './success.js';
import { tracedAttempt } from './traced-attempt.js';

export interface JobProcessorParts<Services> {
  readonly store: InvocationStore;
  readonly events: EventLog;
  readonly sealer: Sealer;
  readonly registry: Registry<Services>;
  readonly services: Services;
  readonly log: Logger;
  readonly domain: string;
  /** Epoch milliseconds. */
  readonly now?: () => number;
  /** 0 to 1, for the jitter of delays. */
  readonly random?: () => number;
}

type Run = Extract<BeginResult, { kind: 'run' }>;

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
}

const stillRunningDelayMs = 1_000;

/** Takes jobs up and ends their invocations. Every write is fenced by the run, so a job that two workers hold ends once. */
export class JobProcessor<Services extends object> {
  readonly #parts: Required<JobProcessorParts<Services>>;
  /** Attempts that run here, so they can be stopped by id. */
  readonly #running = new Map<string, AbortController>();

  constructor(parts: JobProcessorParts<Services>) {
    this.#parts = { now: Date.now, random: Math.random, ...parts };
  }

  get running(): number {
    return this.#running.size;
  }

  /** Stops the attempt of a call that was ended elsewhere: cancelled, or past its deadline. */
  stop(jobId: string): void {
    this.#running.get(jobId)?.abort(new Error('ended elsewhere'));
  }

  /** Stops everything; the jobs go back to the queue. */
  releaseAll(): void {
    for (const controller of this.#running.values()) controller.abort(shutdown);
  }

  async process(job: Job<QueuedInvocation>, token: string): Promise<string> {
    const jobId = job.id ?? '';
    if (this.#running.has(jobId)) {
      // After a pause the queue may give back what still runs here. Two attempts of one id in one process would share one lock
      // renewal, and the end of the first would stop that of the second. So this job comes back later.
      await job.moveToDelayed(this.#parts.now() + stillRunningDelayMs, token);
      throw new DelayedError();
    }
    const begun = await this.#parts.store.begin(jobId, this.#parts.now());
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
        return this.#run(job, begun, token);
    }
  }

  /** Ends a job that the queue itself gave up, because its worker died more than once while it ran. */
  async abandon(jobId: string): Promise<void> {
    const record = await this.#parts.store.read(jobId);
    if (!record || record.ending) return;
    const outcome = this.#failure(
      record.head,
      'internal',
      `The worker died ${record.runs} times while running this call; it is not tried again`,
    );
    await this.#end(
      { jobId, head: record.head, run: null },
      this.#ending('failed', outcome, { startedAt: record.startedAt, attempts: record.runs }),
    );
  }

  /** Ends an open invocation past its deadline as a timeout. */
  async expire(jobId: string): Promise<void> {
    const record = await this.#parts.store.read(jobId);
    if (!record) return this.#parts.store.forgetOpen(jobId);
    if (!record.ending) await this.#expire(jobId, record.head);
  }

  async #run(job: Job<QueuedInvocation>, begun: Run, token: string): Promise<string> {
    const jobId = job.id ?? '';
    const { head, run } = begun;
    const { store, log } = this.#parts;
    const handler = await this.#parts.registry.resolve(head.tool, head.version);
    if (!handler) {
      const outcome = this.#failure(head, 'internal', `No worker runs ${head.tool} ${head.version}`);
      await this.#end({ jobId, head, run }, this.#ending('failed', outcome, { startedAt: begun.startedAt, attempts: run }));
      throw new UnrecoverableError('no handler');
    }
    if (run === 1) metric.queueSeconds.observe({ domain: this.#parts.domain }, Math.max(0, this.#parts.now() - head.createdAt) / 1_000);
    metric.toolAttempts.inc({ tool: head.tool });

    const controller = new AbortController();
    const onUnwanted = (): void => controller.abort(new Error('ended elsewhere'));
    this.#running.set(jobId, controller);
    try {
      const result = await tracedAttempt({ jobId, head, run, domain: this.#parts.domain }, () =>
        runTool(handler, this.#parts.services, {
          jobId,
          number: run,
          input: head.input,
          caller: head.caller,
          sessionId: head.sessionId,
          known: head.known,
          stop: controller.signal,
          onProgress: progressWriter({ store, log, jobId, run, onUnwanted }),
          traceId: head.traceId,
          debug: head.wishes?.debug ?? false,
          output: async (data) => {
            if (!(await store.output(jobId, run, data))) onUnwanted();
          },
          earlierOutput: async () => (run === 1 ? [] : this.#parts.events.outputs(jobId)),
        }),
      );
      if (result.kind === 'stopped' && controller.signal.reason === shutdown) {
        await job.moveToWait(token);
        throw new WaitingError();
      }
      return await this.#conclude(jobId, begun, { contract: handler.contract, result });
    } finally {
      this.#running.delete(jobId);
    }
  }

  async #conclude(jobId: string, begun: Run, { contract, result }: { contract: ToolContract; result: AttemptResult }): Promise<string> {
    const { head, run } = begun;
    const times = { startedAt: begun.startedAt, attempts: run, executionMs: result.executionMs, networkMs: result.networkMs };
    const job = { jobId, head, run, contract, facts: result.facts, upstreamAnswers: result.upstreamAnswers };
    switch (result.kind) {
      case 'stopped':
        return 'stopped';
      case 'done': {
        metric.toolOutputTokens.observe({ tool: head.tool }, tokensOf(result.data));
        const { data, sealed } = this.#parts.sealer.sealData(contract, result.data, { jobId, caller: head.caller });
        const outcome = successOf(result, { data, sealed });
        await this.#end({ ...job, ...(sealed && { sealed: JSON.stringify(data) }) }, this.#ending('completed', outcome, times));
        return 'done';
      }
      case 'unchanged':
        await this.#end(job, this.#ending('completed', { ok: true, data: {}, version: result.version, unchanged: true }, times));
        return 'unchanged';
      case 'refused':
        await this.#end(job, this.#ending('completed', { ok: false, error: result.error }, times));
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
        const retry = await this.#retry(jobId, begun, { contract, result });
        if (retry) throw retry;
        await this.#end(job, this.#ending('failed', { ok: false, error: result.error }, times));
        throw new UnrecoverableError(result.error.code);
      }
    }
  }

  /** Spends one retry of the failure's own budget, if the rule has one left and the deadline has room for it. */
  async #retry(
    jobId: string,
    { head, run, spent }: Run,
    { contract, result }: { contract: ToolContract; result: Extract<AttemptResult, { kind: 'failed' }> },
  ): Promise<Error | null> {
    const record = await this.#parts.store.read(jobId);
    const used = spent[result.failure] ?? 0;
    const rule = head.retry ? retryRuleFor(contract, result.failure) : null;
    const room = { now: this.#parts.now(), deadline: record?.deadline ?? 0, random: this.#parts.random() };
    const delayMs = rule && retryDelayMs(rule, { ...result, used }, room);
    if (!rule || delayMs === null) return null;
    const { failure } = result;
    const { code, message } = result.error;
    const event = { kind: 'retry', failure, retry: used + 1, maxRetries: rule.times, delayMs, error: { code, message } } as const;
    const written = await this.#parts.store.retry(jobId, run, { event, spent: { ...spent, [failure]: used + 1 } });
    if (!written) return new UnrecoverableError('ended elsewhere');
    metric.toolRetries.inc({ tool: head.tool, failure });
    return new RetryLater(code, delayMs);
  }

  async #expire(jobId: string, head: InvocationHead): Promise<void> {
    const outcome = deadlineOutcome(head.tool, this.#parts.registry.find(head.tool, head.version)?.contract);
    await this.#end({ jobId, head, run: null }, this.#ending('failed', outcome, { startedAt: null, attempts: 0 }));
  }

  async #end(job: EndedJob, end: Ending): Promise<void> {
    const { jobId, head, run, contract, facts, upstreamAnswers, sealed } = job;
    const keep =
      end.outcome.ok && contract?.cache
        ? { lifeMs: contract.cache.ttlSeconds * 1_000, entry: { cachedAt: end.finishedAt, outcome: end.outcome } }
        : undefined;
    const finished = await this.#parts.store.finish({
      jobId,
      head,
      ending: withUpstreamAnswers(end, upstreamAnswers),
      run,
      cache: keep,
      flightWindowMs: contract?.singleFlight?.windowMs,
      sealed: sealed === undefined ? undefined : { text: sealed, lifeMs: contract?.secretLife?.ms ?? recordLifeMs },
    });
    if (finished === 'ended')
      return recordCall(
        this.#parts.log,
        endedCall({ jobId, head, ending: end }, this.#parts.registry.find(head.tool, head.version)?.contract),
        facts,
      );
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
    const contract = this.#parts.registry.find(head.tool, head.version)?.contract;
    const family = failureCode[kind];
    return { ok: false, error: contract ? failureError(contract, kind, { message }) : { code: family, family, message } };
  }
}

const shutdown = new Error('worker is stopping');

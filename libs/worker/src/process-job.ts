// What a worker does with one job: take it up → run an attempt → end it, or ask the queue for another attempt.
import { DelayedError, UnrecoverableError, WaitingError } from 'bullmq';
import { tokensOf, type ToolContract } from '#lib/contracts';
import { RecentMap, safeError, type Logger } from '#lib/platform';
import {
  pausedMs,
  recordLifeMs,
  type EventLog,
  type BeginResult,
  type BegunAttempt,
  type CallReports,
  type InvocationStore,
  type Sealer,
  reportedIn,
  type Reported,
} from '#lib/transport';
import { runTool, withParameters, type AttemptResult } from '#lib/handlers';
import { CallEnds } from './call-ends.js';
import { attemptRecords, type AskCaller, type HooksFrom } from './attempt-records.js';
import type { CallAccounts } from './call-accounts.js';
import type { QueueJob } from './held-job.js';
import { stepsAlone, type JobSteps } from './job-steps.js';
import { CostWriter } from './cost-writer.js';
import { progressWriter } from './progress-writer.js';
import type { Registry } from './registry.js';
import { endedElsewhere, giveBack, GivenBack, release, shutdown } from './release.js';
import { restJob } from './rest-job.js';
import { spendRetry } from './spend-retry.js';
import { failureOf, successOf } from './outcomes.js';
import { tracedAttempt } from './traced-attempt.js';

export interface JobProcessorParts<Services> {
  readonly store: InvocationStore;
  /** Default: each is written at once. */
  readonly steps?: JobSteps;
  readonly events: EventLog;
  readonly sealer: Sealer;
  readonly reports: CallReports;
  readonly registry: Pick<Registry<Services>, 'find' | 'resolve'>;
  readonly services: Services;
  readonly log: Logger;
  readonly domain: string;
  /** Epoch milliseconds. Default: this machine's clock. */
  readonly now?: () => number;
  /** Where hooks are called. Default: this process does not know. */
  readonly hooks?: HooksFrom | null;
  /** Asks callers. Default: this process cannot. */
  readonly ask?: AskCaller | null;
  /** The accounts of callers; null where there is no database. */
  readonly accounts?: Pick<CallAccounts, 'recordsOf'> | null;
  /** Whether spans say why an attempt failed: in development. */
  readonly showCauses?: boolean;
  /** 0 to 1, for the jitter of delays. */
  readonly random?: () => number;
}

/** Held by this worker, until the controller fires. */
interface HeldAttempt {
  /** Of the job's lock. */
  readonly token: string;
  readonly controller: AbortController;
}

const stillRunningDelayMs = 1_000;
const rememberedStops = 1_000;

/** Takes jobs up and ends their invocations. Every write is fenced by the attempt, so a job that two workers hold ends once. */
export class JobProcessor<Services extends object> {
  readonly #parts: Required<JobProcessorParts<Services>>;
  /** Attempts that run here, so they can be stopped by id. */
  readonly #running = new Map<string, AbortController>();
  /** Calls that were ended elsewhere: the word of that may be here before their job. */
  readonly #stopped = new RecentMap<string, true>(rememberedStops);
  #isReleasing = false;
  /** How calls end. */
  readonly ends: CallEnds;

  constructor(parts: JobProcessorParts<Services>) {
    this.#parts = {
      showCauses: false,
      hooks: null,
      ask: null,
      accounts: null,
      now: Date.now,
      random: Math.random,
      steps: stepsAlone(parts.store),
      ...parts,
    };
    this.ends = new CallEnds(this.#parts);
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

  async #takeUp(job: QueueJob, { token, controller }: HeldAttempt): Promise<string> {
    const jobId = job.id ?? '';
    const begun = await this.#parts.steps.begin(jobId, this.#parts.now());
    switch (begun.kind) {
      case 'unknown':
        this.#parts.log.error({ event: 'job-unknown', job_id: jobId }, 'a job without a record of ours was dropped');
        throw new UnrecoverableError('no record');
      case 'ended':
        return 'ended before';
      case 'expired':
        await this.ends.expireNow(jobId, begun.head);
        return 'expired';
      case 'paused':
        return this.#rest(jobId, begun, token);
      case 'begun':
        return this.#run(job, begun, { token, controller });
    }
  }

  /** A call that is paused holds no worker: whoever ends the pause wakes it. */
  async #rest(jobId: string, { head, attempt, pause }: Extract<BeginResult, { kind: 'paused' }>, token: string): Promise<string> {
    const { store, now } = this.#parts;
    const rest = { reason: 'paused', until: now() + pausedMs, pause } as const;
    // Nobody waits for an answer by then, as with every rest.
    if (!(await store.resting.rest({ jobId, head, attempt, token, rest, leftMs: recordLifeMs }))) return 'stopped';
    throw new WaitingError();
  }

  async #run(job: QueueJob, begun: BegunAttempt, { token, controller }: HeldAttempt): Promise<string> {
    const jobId = job.id ?? '';
    const { head, attempt } = begun;
    const { store, log, domain, hooks, ask, accounts, now } = this.#parts;
    const handler = await this.#parts.registry.resolve(head);
    if (!handler) {
      await this.ends.endUnservedJob({ jobId, head, attempt }, { startedAt: begun.startedAt, attempts: attempt, ...reportedIn(begun) });
      throw new UnrecoverableError('no handler');
    }
    const { readyAt = head.createdAt } = begun.rested;
    if (attempt === 1) this.#parts.reports.metrics.queueSeconds.observe({ domain }, Math.max(0, this.#parts.now() - readyAt) / 1_000);
    this.#parts.reports.metrics.toolAttempts.inc({ tool: head.tool });

    const onUnwanted = (): void => controller.abort(endedElsewhere);
    const costs = new CostWriter({ attempts: store.attempts, log, jobId, attempt, before: begun, onUnwanted });
    const { hasStep, ...kept } = attemptRecords({
      store,
      hooks,
      ask,
      accounts,
      head,
      contract: handler.contract,
      now,
      jobId,
      attempt,
      kept: begun.steps,
      token,
      onUnwanted,
    });
    const result = await tracedAttempt({ jobId, head, contract: handler.contract, attempt, domain, log }, (onLog) =>
      runTool(head.body ? withParameters(handler, () => store.parametersOf(head)) : handler, this.#parts.services, {
        jobId,
        number: attempt,
        input: head.input,
        caller: head.caller,
        sessionId: head.sessionId,
        known: head.known,
        clientAnswers: head.clientAnswers,
        clientModelTools: head.clientModelTools,
        stop: controller.signal,
        onProgress: progressWriter({ attempts: store.attempts, log, jobId, attempt, onUnwanted }),
        onCost: (micros) => costs.tell(micros),
        onModel: (model) => costs.asks(model),
        onLog,
        traceId: head.traceId,
        debug: head.wishes?.debug ?? false,
        output: async (data) => {
          if (!(await store.attempts.output(jobId, attempt, data))) onUnwanted();
        },
        earlierOutput: async () => (attempt === 1 ? [] : this.#parts.events.outputs(jobId)),
        ...kept,
      }),
    );
    // Later attempts begin with what this one has reported.
    if (result.kind !== 'done' && result.kind !== 'unchanged' && result.kind !== 'refused') await costs.flushed();
    if (result.kind === 'stopped' && controller.signal.reason === shutdown) {
      return await release(job, token);
    }
    if (result.kind === 'stopped' && controller.signal.reason instanceof GivenBack) {
      // It may be taken again here before this returns.
      this.#running.delete(jobId);
      return await giveBack(job, controller.signal.reason, { store, token, now: now(), abandon: (id) => this.ends.abandon(id) });
    }
    if (result.kind === 'resting') {
      const { contract } = handler;
      return await restJob(this.#parts, { jobId, head, contract, attempt, token, waits: result.waits, hasStep: hasStep() });
    }
    return await this.#conclude(jobId, begun, { contract: handler.contract, result, reported: costs.reported });
  }

  async #conclude(
    jobId: string,
    begun: BegunAttempt,
    { contract, result, reported }: { contract: ToolContract; result: Exclude<AttemptResult, { kind: 'resting' }>; reported: Reported },
  ): Promise<string> {
    const { head, attempt } = begun;
    const { executionMs, networkMs } = result;
    const times = { ...begun.rested, startedAt: begun.startedAt, attempts: attempt, executionMs, networkMs, ...reportedIn(reported) };
    const job = { jobId, head, attempt, contract, facts: result.facts, upstreamAnswers: result.upstreamAnswers };
    switch (result.kind) {
      case 'stopped':
        return 'stopped';
      case 'done': {
        this.#parts.reports.metrics.toolOutputTokens.observe({ tool: head.tool }, tokensOf(result.data));
        const { data, sealed } = this.#parts.sealer.sealData(contract, result.data, { jobId, caller: head.caller });
        const outcome = successOf(result, { data, sealed });
        await this.ends.end(
          { ...job, completes: true, ...(sealed && { sealed: JSON.stringify(data) }) },
          this.ends.ending('completed', outcome, times),
        );
        return 'done';
      }
      case 'unchanged':
        await this.ends.end(
          { ...job, completes: true },
          this.ends.ending('completed', { ok: true, data: {}, version: result.version, unchanged: true }, times),
        );
        return 'unchanged';
      case 'refused':
        await this.ends.end({ ...job, completes: true }, this.ends.ending('completed', { ok: false, error: result.error }, times));
        return result.error.native_code ?? result.error.code;
      case 'failed': {
        this.#parts.log.warn(
          {
            event: 'attempt-failed',
            job_id: jobId,
            trace_id: head.traceId,
            tool_name: head.tool,
            attempt,
            failure: result.failure,
            ...(head.requestId !== undefined && { request_id: head.requestId }),
            err: result.cause,
          },
          'attempt failed',
        );
        const retry = await spendRetry(this.#parts, { jobId, begun, contract, result });
        if (retry) throw retry;
        await this.ends.end(
          { ...job, thrown: this.#parts.showCauses ? thrownBy(result.cause) : undefined },
          this.ends.ending('failed', failureOf(result, head.wishes?.debug ? attempt : null), times),
        );
        throw new UnrecoverableError(result.error.code);
      }
    }
  }
}

/** `Error: connection refused`, without the stack. */
function thrownBy(cause: unknown): string {
  const { type = 'Error', message } = safeError(cause);
  return `${String(type)}: ${String(message)}`;
}

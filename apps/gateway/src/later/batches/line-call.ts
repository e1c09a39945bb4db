import { setTimeout } from 'node:timers/promises';
import { SpanStatusCode } from '@opentelemetry/api';
import { Refusal, type EndState, type ToolError } from '#lib/contracts';
import type { Logger } from '#lib/platform';
import type { Sealer } from '#lib/transport';
import { CachedCall } from '../../calls/call.js';
import type { Calls } from '../../calls/calls.js';
import type { JobCall, JobTimes } from '../../calls/job-call.js';
import { parseOptions } from '../../calls/options.js';
import { ownFacts } from '../../calls/own-facts.js';
import { toRefusal } from '../../calls/to-refusal.js';
import { callPurpose, type BatchRow } from './batch-row.js';
import type { OpenLine } from './fed-batches.js';
import { Gate, Window, type Room } from './gate.js';
import { MakerEnded, passing, type Maker } from './maker.js';
import { sealedCall } from './sealed-call.js';

/** What fails without a reason of the call's own is tried again for so long. */
const triedForMs = 60_000;
const pauseMs = 1_000;
const mostPauseMs = 30_000;
/** When for so long nobody has made a call here and waits for its answer, a batch is alone. */
const aloneAfterMs = 500;
/** An Idempotency-Key is known for 24 h. Before that is over, nothing is called that may have been called. */
const surelyKnownMs = 23 * 3_600_000;

/** What came of a line. `job_id` is null for one that never became a job. */
export interface LineEnd {
  readonly state: EndState | 'resting';
  readonly error: ToolError | null;
  /** Left out where they are not known. */
  readonly times?: JobTimes | null;
}

/** A line in hand. */
export interface Line extends OpenLine {
  state: string;
  jobId: string | null;
  /** Whether an earlier feeder has had it, and may have called it. */
  readonly isAgain: boolean;
}

export interface LineCallParts {
  readonly calls: Pick<Calls, 'start' | 'find' | 'sinceWaitedMs'>;
  readonly sealer: Pick<Sealer, 'openText'>;
  /** Reads the tools of a tenant's own before its call. */
  readonly prepare: (tenantId: string) => Promise<void> | void;
  /** The places that a tool has for the batches of this tenant. */
  readonly room: (tool: string) => Room;
  readonly log: Pick<Logger, 'warn'>;
  readonly now: () => number;
}

interface Signals {
  /** The batch is left to another feeder. */
  readonly leaving: AbortSignal;
  /** Its calls are cancelled. */
  readonly cancelling: AbortSignal;
  readonly either: AbortSignal;
}

/** Makes the calls of one batch, each under a key of its own and to its end. */
export class LineCall {
  readonly #parts: LineCallParts;
  readonly #batch: BatchRow;
  readonly #maker: Maker;
  readonly #signals: Signals;
  readonly #gate: Gate;
  readonly #window: Window;

  constructor(
    parts: LineCallParts,
    { batch, maker, signals }: { readonly batch: BatchRow; readonly maker: Maker; readonly signals: Signals },
  ) {
    this.#parts = parts;
    this.#batch = batch;
    this.#maker = maker;
    this.#signals = signals;
    this.#gate = new Gate(batch.ratePerS);
    this.#window = new Window(() => parts.calls.sinceWaitedMs > aloneAfterMs);
  }

  /**
   * Calls a line, or finds its call, and waits for its end or rest.
   * @param onCalled told when it has its job
   * @returns null where it is left to the next feeder. Throws MakerEnded.
   */
  async run(line: Line, onCalled: (jobId: string) => void): Promise<LineEnd | null> {
    using _place = await this.#parts.room(line.tool).enter();
    await this.#window.enter();
    let end: LineEnd | null = null;
    try {
      end = await this.#run(line, onCalled);
      return end;
    } finally {
      this.#window.leave(line.tool, end?.times ?? null);
    }
  }

  async #run(line: Line, onCalled: (jobId: string) => void): Promise<LineEnd | null> {
    const { leaving, cancelling } = this.#signals;
    while (!leaving.aborted) {
      if (cancelling.aborted && line.jobId === null && !line.isAgain) return { state: 'cancelled', error: null };
      try {
        using call = await this.#callOf(line);
        // Somebody cancels the batch, or leaves it.
        if (!call) continue;
        if (line.jobId === null) onCalled(call.jobId);
        return await this.#end(call);
      } catch (error) {
        if (error instanceof MakerEnded) throw error;
        const refusal = toRefusal(error);
        const isOver = line.jobId === null ? !this.#mayPass(refusal, line) : error instanceof Refusal;
        if (isOver) return { state: 'failed', error: refusal.error };
        if (line.jobId !== null) await setTimeout(pauseMs, undefined, { signal: leaving }).catch(() => undefined);
        else this.#gate.close(Math.min(mostPauseMs, Math.max(50, refusal.error.retry_after_ms ?? pauseMs)));
      }
    }
    return null;
  }

  /** Null where it has not begun. */
  async #callOf(line: Line): Promise<JobCall | null> {
    if (line.jobId !== null) return this.#parts.calls.find(this.#maker.kept, line.jobId, null);
    const begin = await this.#ready(line);
    // One that may have been called has to be found, to be cancelled.
    return this.#signals.cancelling.aborted ? begin() : this.#gate.pass(begin, this.#signals.either);
  }

  async #end(call: JobCall): Promise<LineEnd | null> {
    const found = await call.endOrRest(this.#signals.either);
    if (found && !(found === 'resting' && this.#signals.cancelling.aborted)) return { state: found, error: null, times: call.times };
    if (!this.#signals.cancelling.aborted) return null;
    const state = await call.cancel(this.#batch.reason ?? 'The batch was cancelled');
    return { state: state === 'joined' ? 'cancelled' : state, error: null };
  }

  #mayPass({ error: { family } }: Refusal, { triedAt }: Line): boolean {
    const triedMs = this.#parts.now() - (triedAt?.getTime() ?? 0);
    if (triedMs > surelyKnownMs) return false;
    return passing.has(family) || (family === 'EXECUTION_ERROR' && triedMs < triedForMs);
  }

  /** What begins the call of a line. */
  async #ready(line: Line): Promise<() => Promise<JobCall>> {
    const { calls, sealer, prepare, log, now } = this.#parts;
    const { id, tenantId } = this.#batch;
    if (now() - (line.triedAt?.getTime() ?? 0) > surelyKnownMs)
      throw new Refusal('INVALID_PARAMS', 'A gateway was lost while it called, and nobody came for a day: it may have been called');
    const caller = await this.#maker.caller();
    await prepare(tenantId);
    const { input, options, traceId, sessionId, replay } = sealedCall.parse(
      JSON.parse(sealer.openText(line.call ?? '', callPurpose(id, line.n))),
    );
    return async () => {
      const facts = ownFacts('batch call', { 'invoq.batch': id, 'invoq.tool': line.tool }, caller);
      if (traceId !== null) facts.traceId = traceId;
      try {
        const call = await calls.start({
          tool: line.tool,
          input: () => input,
          caller,
          facts,
          options: parseOptions(options),
          idempotencyKey: `batch/${id}/${line.n}`,
          sessionId,
          known: [],
          waits: false,
          ...(replay && { replayOf: replay.of, replays: replay.times }),
        });
        if (call instanceof CachedCall) throw new TypeError('A call with a key was answered from the cache');
        return call;
      } catch (error) {
        facts.span.setStatus({ code: SpanStatusCode.ERROR });
        if (!(error instanceof Refusal))
          log.warn({ event: 'batch-call-fault', batch_id: id, trace_id: facts.traceId, err: error }, 'a call of a batch could not be made');
        throw error;
      } finally {
        facts.span.end();
      }
    };
  }
}

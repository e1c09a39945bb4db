// One attempt of any tool: parse → run, within the attempt's time → check the output against the contract.
import { z } from 'zod';
import {
  costFault,
  failureError,
  mostReportedMicros,
  ownProperties,
  type Caller,
  type FailureKind,
  type FileData,
  type RelayedAsk,
  type ToolContract,
  type ToolError,
} from '#lib/contracts';
import { AttemptSteps } from './attempt-steps.js';
import { noRecords, type HooksAt, type StepRecords, type Waits } from './step-types.js';
import { TimeLimit } from './time-limit.js';
import { UpstreamAnswers } from './upstream-answers.js';
import type { AccountRecords } from './account-records.js';
import { refusalFor, Unchanged, type Facts, type OutgoingFile, type ToolContext } from './context.js';
import { ToolRefusal } from './tool-refusal.js';
import { failureKindOf, hintMsOf, isRetryable, ownLimitMessage } from './failures.js';
import type { Handler, HandlerContext } from './handle.js';

/** One attempt of a call: its input, its caller, and where its progress and output go. */
export interface Attempt {
  readonly jobId: string;
  readonly number: number;
  readonly input: unknown;
  readonly caller: Caller;
  readonly sessionId: string | null;
  /** Versions of the answer that the caller has. */
  readonly known?: readonly string[] | undefined;
  /** What its client can be asked in the words of MCP; absent where people answer instead. */
  readonly clientAnswers?: readonly RelayedAsk[] | undefined;
  /** Whether its model can be given tools; absent where people answer instead. */
  readonly clientModelTools?: boolean | undefined;
  /** Fires when the result is not wanted any more: cancelled, ended elsewhere, or the worker stops. */
  readonly stop: AbortSignal;
  readonly onProgress: (progress: number, message: string) => void;
  /** Called with what it has cost so far, in millionths of a US dollar. Throws where that cannot be counted. */
  readonly onCost?: (micros: number) => void;
  /** Called with each model that it asks. */
  readonly onModel?: (name: string) => void;
  readonly onLog?: ToolContext['log'];
  readonly traceId?: string;
  /** Discards the output when absent. */
  readonly output?: ToolContext['output'];
  readonly earlierOutput?: ToolContext['earlierOutput'];
  /** Keeps no steps when absent. */
  readonly steps?: StepRecords;
  /** Where its hooks are called; they cannot be where absent. */
  readonly hooksAt?: (() => HooksAt | null) | undefined;
  /** The account of the caller; null or absent where accounts are not known. */
  readonly account?: AccountRecords | null | undefined;
  /** Sends files of the answer; it can have none where absent. */
  readonly sendFile?: ((file: OutgoingFile, signal: AbortSignal) => Promise<FileData>) | undefined;
  /** Whether the caller asked what the upstreams answered. */
  readonly debug?: boolean;
}

/** How an attempt ended. `refused` is a result of the handler; `failed` may be tried again by the contract's rule. */
export type AttemptResult = (
  | {
      readonly kind: 'done';
      readonly data: unknown;
      readonly message?: string | undefined;
      readonly warnings: readonly string[];
      readonly explained?: Readonly<Record<string, unknown>> | undefined;
      readonly version?: string | undefined;
    }
  /** The caller has this version of the answer. */
  | { readonly kind: 'unchanged'; readonly version: string }
  | { readonly kind: 'refused'; readonly error: ToolError }
  | {
      readonly kind: 'failed';
      readonly failure: FailureKind;
      readonly error: ToolError;
      readonly hintMs?: number | undefined;
      readonly retryable: boolean;
      readonly cause: unknown;
    }
  | { readonly kind: 'stopped' }
  /** It goes on after a rest. */
  | { readonly kind: 'resting'; readonly waits: Waits }
) &
  Measured;

interface Measured {
  readonly executionMs: number;
  readonly networkMs: number;
  /** What it has reported, in millionths of a US dollar. */
  readonly reportedMicros: number;
  /** What the handler noted of the call, whichever way it ended. */
  readonly facts: Facts;
  /** What the upstreams' APIs answered, for `debug_info`; empty when nobody asked. */
  readonly upstreamAnswers: Readonly<Record<string, unknown>>;
}

type UnmeasuredResult = AttemptResult extends infer Result ? (Result extends AttemptResult ? Omit<Result, keyof Measured> : never) : never;

/**
 * Runs one attempt of a handler within the contract's time limit. Never throws: every way in which an attempt can end is a result.
 */
export async function runTool<Services extends object>(
  handler: Handler<Services>,
  services: Services,
  attempt: Attempt,
): Promise<AttemptResult> {
  const clock = { start: performance.now(), network: 0, reported: 0, isOver: false, facts: {} };
  const answers = new UpstreamAnswers(attempt.debug ?? false);
  const result = await attemptOnce(handler, services, { attempt, clock, answers });
  clock.isOver = true;
  const executionMs = rounded(performance.now() - clock.start);
  return {
    ...result,
    executionMs,
    // Waits that overlap are counted each, and what a worker of a tenant says need not be true.
    networkMs: Math.min(executionMs, rounded(clock.network)),
    reportedMicros: clock.reported,
    facts: clock.facts,
    upstreamAnswers: answers.shown(),
  };
}

interface Clock {
  network: number;
  reported: number;
  isOver: boolean;
  facts: Facts;
}

async function attemptOnce<Services extends object>(
  { contract, run }: Handler<Services>,
  services: Services,
  { attempt, clock, answers }: { readonly attempt: Attempt; readonly clock: Clock; readonly answers: UpstreamAnswers },
): Promise<UnmeasuredResult> {
  if (attempt.stop.aborted) return { kind: 'stopped' };
  using limit = new TimeLimit(contract.timeoutMs, attempt.stop);
  const { signal } = limit;
  const said: { message?: string; version?: string; warnings: string[]; explained?: Readonly<Record<string, unknown>> } = { warnings: [] };
  let reached = 0;
  let asked: Waits | undefined;
  let made: AttemptSteps | undefined;
  const records = attempt.steps ?? noRecords;
  const hooksAt = attempt.hooksAt ?? (() => null);
  const steps = (): AttemptSteps =>
    (made ??= new AttemptSteps({ records, jobId: attempt.jobId, hooksAt, contract, account: attempt.account ?? null }, (waits) => {
      asked = waits;
      limit.abort(new Error('the call rests'));
    }));
  const countCost = (micros: number): void => {
    if (clock.isOver || micros <= clock.reported) return;
    if (micros > mostReportedMicros)
      throw new RangeError(`An attempt reports costs of at most ${mostReportedMicros} millionths of a US dollar`);
    attempt.onCost?.(micros);
    clock.reported = micros;
  };
  try {
    const started = async (): Promise<unknown> => {
      // Before the handler does anything: afterwards it would run again from its top.
      if (contract.connection && attempt.account?.ask) await steps().account();
      return run(attempt.input, context);
    };
    const context: HandlerContext<Services> = {
      ...services,
      caller: attempt.caller,
      sessionId: attempt.sessionId,
      signal,
      effectKey: attempt.jobId,
      attempt: attempt.number,
      traceId: attempt.traceId ?? '',
      output: attempt.output ?? (async () => undefined),
      earlierOutput: attempt.earlierOutput ?? (async () => []),
      step: async (name, work) => steps().step(name, work),
      sleep: async (name, time) => steps().sleep(name, time),
      ask: async (name, question) => steps().ask(name, question),
      hook: (name) => steps().hook(name),
      token: async ({ refused, scopes } = {}) => (await steps().account(refused, scopes)).token,
      account: async ({ refused, more } = {}) => steps().account(refused, more),
      stepRecords: records,
      hooksAt,
      sendFile: async (file) => {
        if (!attempt.sendFile) throw new Error('Answers can have no files here: the gateway is of an older version');
        return attempt.sendFile(file, signal);
      },
      rest: async (...waits) => steps().rest(...waits),
      relay: async (name, message, request) => steps().relay(name, message, request),
      clientAnswers: attempt.clientAnswers,
      clientModelTools: attempt.clientModelTools,
      progress: (percent, message) => {
        // 0 of 0 is no number, with which no later one could be compared.
        reached = Math.max(reached, Math.min(100, Math.round(percent) || 0));
        attempt.onProgress(reached, message);
      },
      log: (level, message) => attempt.onLog?.(level, message),
      setMessage: (message) => void (said.message = message),
      warn: (warning) => void said.warnings.push(warning),
      addDebugInfo: (facts) => void (said.explained = { ...said.explained, ...facts }),
      recordUpstreamAnswer: (answer) => answers.add(answer),
      recordFacts: (facts) => void (clock.facts = { ...clock.facts, ...facts }),
      version: (tag) => {
        said.version = tag;
        if (attempt.known?.includes(tag)) throw new Unchanged();
      },
      cost: (micros) => {
        const fault = costFault(micros);
        if (fault !== null) throw new RangeError(fault);
        countCost(clock.reported + micros);
      },
      countCost,
      asksModel: (name) => void (clock.isOver || attempt.onModel?.(name)),
      network: async (waitFor) => {
        const start = performance.now();
        try {
          return await waitFor();
        } finally {
          clock.network += performance.now() - start;
        }
      },
      countNetwork: (ms) => void (clock.network += ms),
      refusal: refusalFor(contract),
    };
    const output = await untilAborted(started(), signal);
    const checked = contract.output.safeParse(ownProperties(contract.output, output));
    if (!checked.success)
      return failed(contract, 'internal', new Error(`The answer breaks the contract: ${z.prettifyError(checked.error)}`));
    const { message, warnings, explained, version } = said;
    return { kind: 'done', data: checked.data, message, warnings, explained, version };
  } catch (error) {
    if (attempt.stop.aborted) return { kind: 'stopped' };
    if (asked) return { kind: 'resting', waits: asked };
    if (error instanceof Unchanged && said.version !== undefined) return { kind: 'unchanged', version: said.version };
    if (error instanceof ToolRefusal) return { kind: 'refused', error: error.error };
    return failed(contract, limit.timedOut ? 'timeout' : failureKindOf(error), error);
  }
}

function failed(contract: ToolContract, failure: FailureKind, cause: unknown): Extract<UnmeasuredResult, { kind: 'failed' }> {
  const hintMs = hintMsOf(cause);
  const message = ownLimitMessage(cause);
  const error = failureError(contract, failure, { hintMs, ...(message !== undefined && { message }) });
  return { kind: 'failed', failure, cause, hintMs, retryable: isRetryable(cause), error };
}

/** Ends the attempt when the signal fires, also where the handler ignores it. Its work goes on unobserved. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (onAbort) signal.removeEventListener('abort', onAbort);
    work.catch(() => undefined);
  }
}

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}

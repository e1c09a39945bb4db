import { markedPaths, Refusal, type AttemptEnd, type ToolContract, type WorkerMessage } from '#lib/contracts';
import { Failure, fileBytesFact, ToolRefusal, type HandlerContext } from '#lib/handlers';
import { earlierSteps, restAsked } from './attempt-waits.js';
import type { GatewayEvent } from './messages.js';
import type { AttemptFiles, ServedFiles } from './served-files.js';

/** When an attempt that a worker returned is taken again, in ms: one that returns everything keeps no queue busy. */
const returnedMs = 100;

/** What does not end an attempt. */
const onTheWay: ReadonlySet<string> = new Set<WorkerMessage['type']>(['progress', 'output', 'step', 'token', 'cost', 'file']);

/** Log lines of a worker that are taken over for one attempt. */
const mostLogLines = 100;

export interface AttemptParts {
  readonly contract: ToolContract;
  readonly input: unknown;
  readonly context: HandlerContext<object>;
  readonly files: ServedFiles;
  readonly say: (event: GatewayEvent, data: object) => void;
  /** Gives the attempt back to the queue. */
  readonly giveBack: (why: string, options: { readonly isLost: boolean; readonly delayMs?: number }) => void;
}

/** One attempt that a worker runs: what the worker says of it becomes what a handler of ours would do. */
export class RunningAttempt {
  readonly id: string;
  readonly #parts: AttemptParts;
  readonly #files: AttemptFiles;
  readonly #ended = Promise.withResolvers<unknown>();
  #isOver = false;
  /** Of the last output. */
  #output = 0;
  #logged = 0;

  constructor(parts: AttemptParts) {
    this.#parts = parts;
    this.#files = parts.files.of(parts.context);
    const { effectKey, attempt } = parts.context;
    this.id = `${effectKey}.${attempt}`;
  }

  /** Sends the attempt, and waits for its end. */
  async result(): Promise<unknown> {
    const { contract, input, context, say } = this.#parts;
    const { caller, signal } = context;
    const earlier = contract.streaming && context.attempt > 1 ? await context.earlierOutput() : [];
    const steps = await earlierSteps(context.stepRecords);
    const hooks = context.hooksAt();
    const onAbort = (): void => {
      // Who rests has ended it.
      if (!this.#isOver) say('stop', { attempt: this.id });
      this.#isOver = true;
      this.#ended.reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort);
    let isAnswered = false;
    try {
      if (signal.aborted) onAbort();
      else
        say('attempt', {
          attempt: this.id,
          tool: contract.name,
          version: contract.version,
          input,
          effect_key: context.effectKey,
          number: context.attempt,
          timeout_ms: contract.timeoutMs,
          trace_id: context.traceId,
          session_id: context.sessionId,
          caller: { tenant_id: caller.tenantId, user_id: caller.userId, tier: caller.tier },
          ...(earlier.length > 0 && { earlier_output: earlier }),
          ...(steps && { earlier_steps: steps }),
          ...(hooks && { hooks }),
        });
      const answer = await this.#ended.promise;
      isAnswered = true;
      return answer;
    } finally {
      signal.removeEventListener('abort', onAbort);
      void this.#files.close(isAnswered).catch((error: unknown) => context.log('warn', `Files of the attempt are left: ${String(error)}`));
    }
  }

  /** @returns whether it was the end of the attempt */
  async receive(message: Exclude<WorkerMessage, { type: 'drain' | 'log' }>): Promise<boolean> {
    const { context } = this.#parts;
    // What comes after the end, or after the attempt was stopped, is not wanted.
    if (this.#isOver) return !onTheWay.has(message.type);
    switch (message.type) {
      case 'progress':
        context.progress(message.progress, message.message);
        return false;
      case 'cost':
        try {
          context.countCost(message.micros);
        } catch (error) {
          this.#refuse(error);
        }
        return false;
      case 'output':
        if (message.number !== undefined && message.number <= this.#output) return false;
        this.#output = message.number ?? this.#output;
        await context.output(message.data).catch((error: unknown) => this.#end(() => Promise.reject(error)));
        return false;
      case 'step':
        await this.#keep(message).catch((error: unknown) => this.#refuse(error));
        return false;
      case 'token':
        // The messages after it are taken meanwhile: it may have to be renewed.
        void this.#token(message).catch((error: unknown) => this.#refuse(error));
        return false;
      case 'file':
        // So that files of other attempts, and heartbeats, do not wait for the file store.
        void this.#file(message).catch((error: unknown) => this.#refuse(error));
        return false;
      case 'rest':
        // Its signal ends it, once the call may rest: nothing else may settle it before.
        this.#isOver = true;
        restAsked(context, message).catch((error: unknown) => this.#ended.reject(error));
        return true;
      default:
        this.#end(() => this.#endOf(message));
        return true;
    }
  }

  log({ level, message }: Extract<WorkerMessage, { type: 'log' }>): void {
    if (this.#logged >= mostLogLines) return;
    this.#logged += 1;
    this.#parts.context.log(level, message);
  }

  /** The worker is lost with it. */
  lose(): void {
    this.#parts.giveBack('its worker is lost', { isLost: true });
  }

  /** Tells the worker once it is kept; a worker that has the call no more is stopped. */
  async #keep({ name, data }: Extract<WorkerMessage, { type: 'step' }>): Promise<void> {
    const { context, say } = this.#parts;
    const kept = await context.stepRecords.keep(name, { kind: 'step', data });
    if (kept) say('kept', { attempt: this.id, name });
  }

  async #file(message: Extract<WorkerMessage, { type: 'file' }>): Promise<void> {
    const taken = await this.#files.take(message);
    if (taken && !this.#isOver) this.#parts.say('file', { attempt: this.id, ...taken });
  }

  /** Where the account is not connected, the call rests: the attempt ends by its signal. */
  async #token({ number, refused, scopes }: Extract<WorkerMessage, { type: 'token' }>): Promise<void> {
    const { context, say } = this.#parts;
    const token = await context.token({ refused, scopes });
    if (!this.#isOver) say('token', { attempt: this.id, number, access_token: token });
  }

  /** A step that cannot be kept, or a cost that cannot be counted, ends the attempt: nothing may follow it. */
  #refuse(error: unknown): void {
    this.#end(() => Promise.reject(error));
    this.#parts.say('stop', { attempt: this.id });
  }

  #end(how: () => unknown): void {
    this.#isOver = true;
    // Whether it returns or throws.
    this.#ended.resolve(new Promise((resolve) => resolve(how())));
  }

  #endOf(message: Exclude<AttemptEnd, { type: 'rest' }>): unknown {
    const { context } = this.#parts;
    if ('network_ms' in message && message.network_ms !== undefined) context.countNetwork(message.network_ms);
    switch (message.type) {
      case 'done':
        if (message.message !== undefined) context.setMessage(message.message);
        for (const warning of message.warnings ?? []) context.warn(warning);
        // Files of an answer are given links of their reader's own.
        if (markedPaths(this.#parts.contract.output, 'output', ['secret']).length > 0) this.#files.check(message.data);
        if (message.facts) context.recordFacts(message.facts);
        // Whatever the worker says of it.
        if (message.facts || this.#files.bytes > 0) context.recordFacts({ [fileBytesFact]: this.#files.bytes });
        if (message.debug_info) context.addDebugInfo(message.debug_info);
        if (message.version !== undefined) context.version(message.version);
        return message.data;
      case 'unchanged':
        context.version(message.version);
        throw new Failure('internal', 'The worker says that the answer is unchanged, and the caller does not have it');
      case 'refused':
        throw context.refusal(message.error, message.message, {
          ...(message.details && { details: message.details }),
          ...(message.extra && { extra: message.extra }),
        });
      case 'invalid': {
        const text = message.faults.map((fault) => fault.message).join('; ');
        throw new ToolRefusal(new Refusal('INVALID_PARAMS', text, { details: message.faults }).error);
      }
      case 'failed':
        throw new WorkerFailure(message);
      case 'return':
        this.#parts.giveBack('the worker did not begin it', { isLost: false, delayMs: returnedMs });
        return this.#aborted();
    }
  }

  /** Never resolves: the attempt ends by its signal. */
  async #aborted(): Promise<never> {
    return new Promise<never>(() => undefined);
  }
}

/** What a handler threw in its worker: logs, traces and `debug_info` have its own class, message and stack. */
class WorkerFailure extends Failure {
  override readonly name: string;

  constructor({ failure, retryable, hint_ms: hintMs, cause }: Extract<AttemptEnd, { type: 'failed' }>) {
    super(failure, cause?.message ?? 'the worker gave no reason', { hintMs, retryable });
    this.name = cause?.type ?? 'Error';
    this.stack = cause?.stack ?? `${this.name}: ${this.message}`;
  }
}

import type { EndState, LoggedEvent, Rest, ToolContract } from '#lib/contracts';
import type { CacheEntry } from '#lib/transport';
import type { RequestFacts } from './call-facts.js';
import type { Answer } from './answer.js';
import type { AnswerEnricher, AnswerOptions } from './answer-enricher.js';
import type { Answers } from './answers.js';
import { askedCall } from './own-record.js';
import type { RepeatableCall, RepeatedForm } from './repeatable-call.js';

/** An entry of a call's event log. The last one carries the answer. `seq` counts from 1, `at` is epoch milliseconds. */
export type CallEvent =
  | Exclude<LoggedEvent, { kind: 'end' }>
  | { readonly kind: 'end'; readonly seq: number; readonly at: number; readonly answer: Answer };

/** A call that rests: whoever waits for it comes back later. */
export interface Resting {
  readonly rest: Rest;
}

/** What one reader sets for itself, over the options of the call. */
export type ReaderOptions = Partial<Pick<AnswerOptions, 'inline_files'>>;

/**
 * One call as a door sees it, from its start or found again. A door parses a request, gets a call, and serialises what the
 * call gives; it uses nothing else of the pipeline. Dispose it when the door is done: the call itself goes on.
 */
export interface Call extends Disposable {
  /** Null for an answer from the cache, which never became a job. */
  readonly jobId: string | null;
  readonly toolName: string;
  readonly traceId: string;
  /** Headers that go with the call at every HTTP door. */
  readonly headers: Readonly<Record<string, string>>;
  /** What event ids are made from: the job id, or for an answer from the cache a name of the same shape with the trace id. */
  readonly eventScope: string;

  /** What a call that was just started rests for; null where it does not. */
  readonly resting: Resting | null;

  /**
   * Waits for the answer until the call ends, its deadline comes or the signal fires. With null it does not wait.
   * Throws NETWORK_ERROR when the store has lost the call.
   * @returns null when the signal fires first
   */
  answer(signal: AbortSignal | null, reader?: ReaderOptions): Promise<Answer | null>;

  /** The same for who does not wait while the call rests, but in a line of calls. */
  answerOrRest(signal: AbortSignal, reader?: ReaderOptions): Promise<Answer | Resting | null>;

  /**
   * Every event after a place in the log, once and in order, up to the end or until the signal fires. 0 is the beginning. A call that the
   * store has lost ends with NETWORK_ERROR for the caller who started it, with RESOURCE_NOT_FOUND for one who found it.
   */
  events(after: number, signal: AbortSignal): AsyncGenerator<CallEvent>;

  /** Whether the call has ended and its log has nothing after this place. */
  isOver(after: number): boolean;

  /**
   * Ends the call as cancelled, unless it has ended. Its handler's signal fires, wherever it runs.
   * @param why the message of the caller's error
   * @returns how the call ended; `joined` when it was left alone
   */
  cancel(why: string, options?: CancelOptions): Promise<EndState | 'joined'>;
}

export interface CancelOptions {
  /** Leaves the call alone when another caller has joined it. Default false. */
  readonly unlessJoined?: boolean;
}

interface CachedCallParts {
  readonly key: string;
  readonly seen: readonly ToolContract[];
  readonly answers: Answers;
  readonly enricher: AnswerEnricher;
  readonly contract: ToolContract;
  readonly headers: Readonly<Record<string, string>>;
  readonly input: unknown;
  readonly entry: CacheEntry;
  readonly leftMs: number;
  readonly text: string;
  readonly options: AnswerOptions;
  readonly request: RequestFacts;
}

/** A call that the cache answers. It has two events, the first and the last, so that streams look alike. */
export class CachedCall implements Call {
  readonly jobId = null;
  readonly resting = null;
  readonly #parts: CachedCallParts;

  constructor(parts: CachedCallParts) {
    this.#parts = parts;
  }

  get toolName(): string {
    return this.#parts.contract.name;
  }

  get traceId(): string {
    return this.#parts.request.traceId;
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#parts.headers;
  }

  get eventScope(): string {
    return cachedScope(this.traceId);
  }

  async answer(_signal: AbortSignal | null, reader: ReaderOptions = {}): Promise<Answer> {
    const { answers, enricher, request, options, input } = this.#parts;
    return enricher.enrich(await answers.ofCached(this.#parts, request), { ...options, ...reader }, input);
  }

  async answerOrRest(signal: AbortSignal, reader: ReaderOptions = {}): Promise<Answer> {
    return this.answer(signal, reader);
  }

  async *events(after: number, signal: AbortSignal): AsyncGenerator<CallEvent> {
    const at = Date.now();
    if (after < 1) yield firstEvent(this.toolName, at);
    if (after < 2 && !signal.aborted) yield { kind: 'end', seq: 2, at, answer: await this.answer(signal) };
  }

  /**
   * What it is when it is asked again in the same words. Null where its answer follows from more than words, caller, catalog and cache:
   * what a request says of its trace, the date, a second look.
   * @param given its parameters as they were sent
   */
  repeatable(given: unknown, form: RepeatedForm | null): RepeatableCall | null {
    const { contract, key, seen, options, request } = this.#parts;
    const { caller, smallBody, traceId, derivedTraceId } = request;
    if (!caller || !smallBody || traceId !== derivedTraceId) return null;
    if (contract.deprecated || contract.sunsetDate || options.debug || options.metacognition) return null;
    if (typeof given === 'object' && given !== null && 'request_id' in given) return null;
    return { caller, contract, key, seen, asked: askedCall(caller, contract, given), form };
  }

  isOver(after: number): boolean {
    return after === 2;
  }

  async cancel(): Promise<EndState> {
    return 'completed';
  }

  [Symbol.dispose](): void {}
}

/** What event ids of an answer from the cache are made from. */
export function cachedScope(traceId: string): string {
  return `inv_${traceId}`;
}

/** The first event of every call. It is not stored: it follows from the call. @param at when it was accepted, in epoch milliseconds */
export function firstEvent(toolName: string, at: number): CallEvent {
  return { kind: 'progress', seq: 1, at, progress: 0, message: `Starting ${toolName}` };
}

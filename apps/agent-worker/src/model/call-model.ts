// One call of the model: its text as it comes, then its tool calls, its reason to stop and its usage.
import { APICallError, type LanguageModelV4CallOptions, type LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FinishReason, TokenUsage } from '#lib/contracts';
import { ModelError } from './model-error.js';
import type { ConfiguredModel } from './configured-model.js';
import { WellFormed } from './text-sanitizer.js';

export interface ModelCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Set when the model wrote something that is no JSON object. */
  readonly malformed?: string;
}

export interface ModelReply {
  readonly text: string;
  readonly calls: readonly ModelCall[];
  readonly finishReason: FinishReason;
  readonly usage: TokenUsage;
}

interface CallOptions {
  readonly signal: AbortSignal;
  /** The longest that the model may be silent. */
  readonly silenceMs: number;
}

type Part = LanguageModelV4StreamPart;
/** What one call asks. */
export type ModelRequest = Pick<LanguageModelV4CallOptions, 'prompt' | 'tools' | 'toolChoice'>;

/** Before its first part a call may be made again: nothing has been said. */
const retries = 2;
const firstPauseMs = 300;
const longestPauseMs = 5_000;

/** Yields text. Throws ModelError, or the signal's reason. */
export async function* callModel(
  configured: ConfiguredModel,
  request: ModelRequest,
  options: CallOptions,
): AsyncGenerator<string, ModelReply> {
  const wellFormed = new WellFormed();
  let text = '';
  let end: Extract<Part, { type: 'finish' }> | null = null;
  const calls: ModelCall[] = [];
  for await (const part of partsOf(configured, request, options)) {
    if (part.type === 'text-delta') {
      const piece = wellFormed.push(part.delta);
      text += piece;
      if (piece) yield piece;
    } else if (part.type === 'tool-call' && !part.providerExecuted) calls.push(callOf(part));
    else if (part.type === 'finish') end = part;
    else if (part.type === 'error') throw failed(part.error);
  }
  if (!end) throw new ModelError('The model stopped in the middle of its answer');
  const { usage, finishReason } = end;
  return {
    text,
    calls,
    finishReason: reasonOf(finishReason.unified),
    usage: { input_tokens: usage.inputTokens.total ?? 0, output_tokens: usage.outputTokens.total ?? 0 },
  };
}

/** The parts of one call; its beginning is tried again where that may help. */
async function* partsOf(
  { model, maxOutputTokens, providerOptions }: ConfiguredModel,
  request: ModelRequest,
  { signal, silenceMs }: CallOptions,
): AsyncGenerator<Part> {
  for (let attempt = 0; ; attempt++) {
    using silence = new Silence(silenceMs, signal);
    let begun = false;
    try {
      const asked = model.doStream({ ...request, maxOutputTokens, providerOptions, abortSignal: silence.signal });
      const { stream } = await silence.bound(asked);
      for await (const part of silence.heard(stream)) {
        if (part.type === 'error' && !begun && isWorthAnother(part.error)) throw part.error;
        begun ||= part.type !== 'stream-start' && part.type !== 'response-metadata';
        yield part;
      }
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (silence.isOver) throw new ModelError(`The model was silent for ${silenceMs} ms`, { cause: error });
      if (begun || attempt >= retries || !isWorthAnother(error)) throw failed(error);
      await sleep(pauseBefore(attempt, error), undefined, { signal });
    }
  }
}

/** One call's patience: it aborts when nothing has come for a time, and everything that comes starts the time anew. */
class Silence implements Disposable {
  readonly #controller = new AbortController();
  readonly #parent: AbortSignal;
  readonly #onParent = () => this.#controller.abort(this.#parent.reason);
  readonly #timer: NodeJS.Timeout;
  #isOver = false;

  constructor(ms: number, parent: AbortSignal) {
    this.#parent = parent;
    this.#timer = setTimeout(() => {
      this.#isOver = true;
      this.#controller.abort(new Error('silent'));
    }, ms);
    if (parent.aborted) this.#onParent();
    else parent.addEventListener('abort', this.#onParent);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The work's result. Rejects when the time is up, also where the work does not heed the signal. */
  async bound<T>(work: PromiseLike<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>();
    const onAbort = () => reject(this.signal.reason);
    this.signal.addEventListener('abort', onAbort);
    if (this.signal.aborted) onAbort();
    try {
      return await Promise.race([work, promise]);
    } finally {
      this.signal.removeEventListener('abort', onAbort);
    }
  }

  /** What comes of a stream. Throws when the time is up, also where the source does not heed the signal. */
  async *heard<T>(stream: ReadableStream<T>): AsyncGenerator<T> {
    const reader = stream.getReader();
    // Ends a read that waits. Not awaited: a source that hangs would hang its cancellation too.
    const leave = () => void reader.cancel().catch(() => undefined);
    this.signal.addEventListener('abort', leave);
    if (this.signal.aborted) leave();
    try {
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        this.#timer.refresh();
        yield next.value;
      }
      this.signal.throwIfAborted();
    } finally {
      leave();
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#parent.removeEventListener('abort', this.#onParent);
    // Whatever is still open is no longer wanted.
    this.#controller.abort(new Error('done'));
  }
}

function isWorthAnother(error: unknown): boolean {
  return APICallError.isInstance(error) && error.isRetryable;
}

function pauseBefore(attempt: number, error: unknown): number {
  const asked = APICallError.isInstance(error) ? Number(error.responseHeaders?.['retry-after']) * 1_000 : Number.NaN;
  const own = firstPauseMs * 2 ** attempt;
  return Math.min(longestPauseMs, Number.isFinite(asked) && asked > 0 ? Math.max(asked, own) : own);
}

function failed(cause: unknown): ModelError {
  const status = APICallError.isInstance(cause) ? cause.statusCode : undefined;
  if (status === 429) return new ModelError('The model has too much to do at the moment; try again in a minute', { cause });
  if (status === 401 || status === 403) return new ModelError('The model does not accept our credential', { cause });
  return new ModelError('The model failed while answering', { cause });
}

function callOf({ toolCallId, toolName, input }: Extract<Part, { type: 'tool-call' }>): ModelCall {
  const id = toolCallId.slice(0, 128);
  const name = toolName.slice(0, 128);
  try {
    const parsed: unknown = JSON.parse(input.trim() === '' ? '{}' : WellFormed.of(input));
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return { id, name, arguments: { ...parsed } };
    return { id, name, arguments: {}, malformed: 'the arguments must be a JSON object' };
  } catch {
    return { id, name, arguments: {}, malformed: 'the arguments are not valid JSON' };
  }
}

function reasonOf(unified: Extract<Part, { type: 'finish' }>['finishReason']['unified']): FinishReason {
  return unified === 'interrupted' ? 'other' : unified;
}

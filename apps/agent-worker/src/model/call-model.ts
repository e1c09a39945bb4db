// One call of the model: its text as it comes, then its tool calls, its finish reason and its usage.
import { APICallError, type LanguageModelV4CallOptions, type LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { setTimeout as sleep } from 'node:timers/promises';
import { isJsonObject, type FinishReason, type TokenUsage } from '#lib/contracts';
import type { ConfiguredModel } from './configured-model.js';
import { IdleTimeout } from './idle-timeout.js';
import { ModelError } from './model-error.js';
import { ModelSpan } from './model-span.js';
import { ReasoningFilter } from './reasoning-filter.js';
import { sanitizeText, TextSanitizer } from './text-sanitizer.js';

export interface ModelCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** What is wrong with the arguments that the model wrote, when they are no JSON object. */
  readonly malformed?: string;
}

export interface ModelReply {
  readonly text: string;
  readonly calls: readonly ModelCall[];
  readonly finishReason: FinishReason;
  readonly usage: TokenUsage;
  /** What it cost, in millionths of a US dollar; 0 where no price is known. */
  readonly costMicros: number;
}

interface ModelCallOptions {
  readonly signal: AbortSignal;
  /** The longest that the model may send nothing, ms. */
  readonly idleTimeoutMs: number;
}

type Part = LanguageModelV4StreamPart;
/** What the model is asked. */
export type ModelRequest = Pick<LanguageModelV4CallOptions, 'prompt' | 'tools' | 'toolChoice'>;

/** A call is repeated only before its first part: later the user would read its beginning twice. */
const maxRetries = 2;
const firstDelayMs = 300;
const maxDelayMs = 5_000;
const maxNameCharacters = 128;

/** Yields text as it comes. Throws ModelError when the model fails, and the signal's reason when the signal fires. */
export async function* callModel(
  configured: ConfiguredModel,
  request: ModelRequest,
  options: ModelCallOptions,
): AsyncGenerator<string, ModelReply> {
  using span = new ModelSpan(configured);
  const sanitizer = new TextSanitizer();
  const reasoning = new ReasoningFilter(configured.startsInReasoning);
  let text = '';
  let end: Extract<Part, { type: 'finish' }> | null = null;
  const calls: ModelCall[] = [];
  for await (const part of partsOf(configured, request, options)) {
    if (part.type === 'text-delta') {
      const piece = reasoning.push(sanitizer.push(part.delta));
      text += piece;
      if (piece) yield piece;
    } else if (part.type === 'tool-call' && !part.providerExecuted) calls.push(toModelCall(part));
    else if (part.type === 'finish') end = part;
    else if (part.type === 'error') throw toModelError(part.error);
  }
  const rest = reasoning.end();
  text += rest;
  if (rest) yield rest;
  if (!end) throw new ModelError('The model stopped in the middle of its answer');
  const { usage, finishReason } = end;
  span.answered(usage, finishReason.unified);
  return {
    text,
    calls,
    finishReason: finishReason.unified === 'interrupted' ? 'other' : finishReason.unified,
    usage: { input_tokens: usage.inputTokens.total ?? 0, output_tokens: usage.outputTokens.total ?? 0 },
    costMicros: configured.priceOf?.(usage) ?? 0,
  };
}

/** The parts of one call. Repeats the request while nothing has come and the provider's error is one that may pass. */
async function* partsOf(
  { model, maxOutputTokens, providerOptions }: ConfiguredModel,
  request: ModelRequest,
  { signal, idleTimeoutMs }: ModelCallOptions,
): AsyncGenerator<Part> {
  for (let attempt = 0; ; attempt++) {
    using idle = new IdleTimeout(idleTimeoutMs, signal);
    let hasBegun = false;
    try {
      const asked = model.doStream({ ...request, maxOutputTokens, providerOptions, abortSignal: idle.signal });
      const { stream } = await idle.race(asked);
      for await (const part of idle.read(stream)) {
        if (part.type === 'error' && !hasBegun && isRetryable(part.error)) throw part.error;
        hasBegun ||= part.type !== 'stream-start' && part.type !== 'response-metadata';
        yield part;
      }
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (idle.hasExpired) throw new ModelError(`The model was silent for ${idleTimeoutMs} ms`, { cause: error });
      if (hasBegun || attempt >= maxRetries || !isRetryable(error)) throw toModelError(error);
      await sleep(delayBefore(attempt, error), undefined, { signal });
    }
  }
}

function isRetryable(error: unknown): boolean {
  return APICallError.isInstance(error) && error.isRetryable;
}

/** Doubles from 300 ms. The provider's Retry-After counts when it is longer; five seconds are the most. */
function delayBefore(attempt: number, error: unknown): number {
  const retryAfterMs = APICallError.isInstance(error) ? Number(error.responseHeaders?.['retry-after']) * 1_000 : Number.NaN;
  const backoffMs = firstDelayMs * 2 ** attempt;
  return Math.min(maxDelayMs, Number.isFinite(retryAfterMs) ? Math.max(retryAfterMs, backoffMs) : backoffMs);
}

function toModelError(cause: unknown): ModelError {
  const status = APICallError.isInstance(cause) ? cause.statusCode : undefined;
  if (status === 429) return new ModelError('The model has too much to do at the moment; try again in a minute', { cause });
  if (status === 401 || status === 403) return new ModelError('The model does not accept our credential', { cause });
  return new ModelError('The model failed while answering', { cause });
}

function toModelCall({ toolCallId, toolName, input }: Extract<Part, { type: 'tool-call' }>): ModelCall {
  const id = toolCallId.slice(0, maxNameCharacters);
  const name = toolName.slice(0, maxNameCharacters);
  try {
    const parsed: unknown = JSON.parse(input.trim() === '' ? '{}' : sanitizeText(input));
    if (isJsonObject(parsed)) return { id, name, arguments: { ...parsed } };
    return { id, name, arguments: {}, malformed: 'the arguments must be a JSON object' };
  } catch {
    return { id, name, arguments: {}, malformed: 'the arguments are not valid JSON' };
  }
}

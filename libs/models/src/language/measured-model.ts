// What each call of a model took, by the metrics of OpenTelemetry's conventions for generative AI.
import { APICallError, type LanguageModelV4, type LanguageModelV4StreamPart, type LanguageModelV4Usage } from '@ai-sdk/provider';
import type { Attributes } from '@opentelemetry/api';
import { measures, serverAddress } from '#lib/platform';

/** Of the name that a provider gives the model of an answer. */
const mostNameCharacters = 128;

/** The same model. Nothing of what is written is told, and nothing is done where no collector takes the metrics. */
export function measuredModel(model: LanguageModelV4, baseUrl: string | undefined): LanguageModelV4 {
  const { provider, modelId, specificationVersion } = model;
  const about = {
    'gen_ai.operation.name': 'chat',
    ...providerNamed(provider),
    'gen_ai.request.model': modelId,
    ...(baseUrl !== undefined && serverAddress(baseUrl)),
  };
  return {
    specificationVersion,
    provider,
    modelId,
    get supportedUrls() {
      return model.supportedUrls;
    },
    doGenerate: async (options) => {
      if (!measures.modelOperation.isTaken) return model.doGenerate(options);
      const call = new MeasuredCall(about);
      const answer = await model.doGenerate(options).then(null, (error: unknown) => call.failedBy(error, options.abortSignal));
      call.named(answer.response?.modelId);
      call.answered(answer.usage);
      return answer;
    },
    doStream: async (options) => {
      if (!measures.modelOperation.isTaken) return model.doStream(options);
      const call = new MeasuredCall(about);
      const answer = await model.doStream(options).then(null, (error: unknown) => call.failedBy(error, options.abortSignal));
      return { ...answer, stream: answer.stream.pipeThrough(measuring(call, options.abortSignal)) };
    },
  };
}

/** `openai.chat` of the SDK is `openai` of the convention. */
export function providerNamed(provider: string): { readonly 'gen_ai.provider.name': string } {
  return { 'gen_ai.provider.name': provider.split('.', 1)[0] ?? provider };
}

function measuring(
  call: MeasuredCall,
  signal: AbortSignal | undefined,
): TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart> {
  const broken = (reason: unknown): void => call.failed(errorType(reason, signal));
  return new TransformStream({
    transform: (part, to) => {
      if (part.type === 'response-metadata') call.named(part.modelId);
      else if (part.type === 'finish') call.answered(part.usage);
      else if (part.type === 'error') broken(part.error);
      to.enqueue(part);
    },
    flush: () => broken(null),
    cancel: broken,
  });
}

/** It is told once, by its first end. */
class MeasuredCall {
  readonly #about: Attributes;
  readonly #startedAt = performance.now();
  #answeredBy: Attributes = {};
  #isOver = false;

  constructor(about: Attributes) {
    this.#about = about;
  }

  named(model: string | undefined): void {
    if (model) this.#answeredBy = { 'gen_ai.response.model': model.slice(0, mostNameCharacters).toWellFormed() };
  }

  answered({ inputTokens, outputTokens }: LanguageModelV4Usage): void {
    if (this.#isOver) return;
    this.#end({});
    for (const [type, tokens] of [
      ['input', inputTokens.total],
      ['output', outputTokens.total],
    ] as const)
      if (tokens !== undefined) measures.tokens.record(tokens, () => ({ ...this.#about, ...this.#answeredBy, 'gen_ai.token.type': type }));
  }

  failed(type: string): void {
    if (!this.#isOver) this.#end({ 'error.type': type });
  }

  failedBy(error: unknown, signal: AbortSignal | undefined): never {
    this.failed(errorType(error, signal));
    throw error;
  }

  #end(more: Attributes): void {
    this.#isOver = true;
    measures.modelOperation.since(this.#startedAt, () => ({ ...this.#about, ...this.#answeredBy, ...more }));
  }
}

/** The status of the provider, else one of three words: its own text never. */
function errorType(error: unknown, signal: AbortSignal | undefined): string {
  if (APICallError.isInstance(error) && error.statusCode !== undefined) return String(error.statusCode);
  if (error instanceof Error && error.name === 'TimeoutError') return 'timeout';
  return signal?.aborted ? 'cancelled' : '_OTHER';
}

import type { LanguageModelV4FinishReason, LanguageModelV4Usage } from '@ai-sdk/provider';
import { SpanKind, SpanStatusCode, type Span } from '@opentelemetry/api';
import { providerNamed } from '#lib/models';
import { tracer } from '#lib/platform';
import type { ConfiguredModel } from './configured-model.js';

/** The span of one call of a model, by the conventions of OpenTelemetry for generative AI. It says nothing of what is written. */
export class ModelSpan implements Disposable {
  readonly #span: Span;
  #isAnswered = false;

  constructor({ model: { modelId, provider }, maxOutputTokens }: Pick<ConfiguredModel, 'model' | 'maxOutputTokens'>) {
    this.#span = tracer.startSpan(`chat ${modelId}`, {
      kind: SpanKind.CLIENT,
      attributes: {
        'gen_ai.operation.name': 'chat',
        ...providerNamed(provider),
        'gen_ai.request.model': modelId,
        'gen_ai.request.max_tokens': maxOutputTokens,
      },
    });
  }

  answered({ inputTokens, outputTokens }: LanguageModelV4Usage, finish: LanguageModelV4FinishReason['unified']): void {
    this.#isAnswered = true;
    this.#span.setAttributes({
      'gen_ai.usage.input_tokens': inputTokens.total ?? 0,
      'gen_ai.usage.output_tokens': outputTokens.total ?? 0,
      'gen_ai.response.finish_reasons': [finish],
    });
  }

  /** One that has not answered has failed, or nobody waited for it any more. */
  [Symbol.dispose](): void {
    if (!this.#isAnswered) this.#span.setStatus({ code: SpanStatusCode.ERROR });
    this.#span.end();
  }
}

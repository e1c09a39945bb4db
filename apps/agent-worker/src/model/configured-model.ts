import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Usage } from '@ai-sdk/provider';
import { createLanguageModel, priceOf } from '#lib/models';
import type { AgentSettings } from '../config.js';
import type { Pace } from '../pace.js';
import { OfflineModel } from './offline-model.js';

type ModelSettings = Pick<
  AgentSettings,
  | 'MODEL'
  | 'MODEL_BASE_URL'
  | 'MODEL_API_KEY'
  | 'MODEL_TOOL_CHOICE'
  | 'MODEL_PARALLEL_TOOL_CALLS'
  | 'MODEL_MAX_OUTPUT_TOKENS'
  | 'MODEL_STARTS_IN_REASONING'
  | 'MODEL_PRICES'
>;

export interface ConfiguredModel {
  readonly model: LanguageModelV4;
  /** For the first call of a turn; in later calls the model chooses. */
  readonly toolChoice: NonNullable<LanguageModelV4CallOptions['toolChoice']>;
  readonly maxOutputTokens: number;
  /** Whether its text begins inside of its reasoning, whose opening tag its template has written. */
  readonly startsInReasoning: boolean;
  /** What a call of it costs, in millionths of a US dollar; null where no price is known. */
  readonly priceOf: ((usage: LanguageModelV4Usage) => number) | null;
  readonly providerOptions: NonNullable<LanguageModelV4CallOptions['providerOptions']>;
}

/** The model that the settings name, the offline rules when they name none. Throws an Error that names a missing setting. */
export function configureModel(settings: ModelSettings, pace: Pick<Pace, 'beforeRead'>): ConfiguredModel {
  const model = createLanguageModel(settings, pace) ?? new OfflineModel();
  return {
    model,
    toolChoice: toToolChoice(settings.MODEL_TOOL_CHOICE),
    maxOutputTokens: settings.MODEL_MAX_OUTPUT_TOKENS,
    startsInReasoning: settings.MODEL_STARTS_IN_REASONING,
    priceOf: priceOf(settings.MODEL_PRICES, [settings.MODEL, model.modelId]),
    // Sent only to forbid parallel calls: some endpoints reject the setting.
    providerOptions: settings.MODEL_PARALLEL_TOOL_CALLS
      ? {}
      : { openai: { parallelToolCalls: false }, anthropic: { disableParallelToolUse: true }, compatible: { parallel_tool_calls: false } },
  };
}

/** @param choice `auto`, `required` or `name:<tool>` */
function toToolChoice(choice: string): ConfiguredModel['toolChoice'] {
  if (choice === 'required') return { type: 'required' };
  return choice.startsWith('name:') ? { type: 'tool', toolName: choice.slice('name:'.length) } : { type: 'auto' };
}

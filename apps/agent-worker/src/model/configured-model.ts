import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { createLanguageModel } from '#lib/models';
import type { AgentSettings } from '../config.js';
import { OfflineModel } from './offline-model.js';

type ModelSettings = Pick<
  AgentSettings,
  'MODEL' | 'MODEL_BASE_URL' | 'MODEL_API_KEY' | 'MODEL_TOOL_CHOICE' | 'MODEL_PARALLEL_TOOL_CALLS' | 'MODEL_MAX_OUTPUT_TOKENS'
>;

export interface ConfiguredModel {
  readonly model: LanguageModelV4;
  /** Of the first call of a turn; later ones are free. */
  readonly toolChoice: NonNullable<LanguageModelV4CallOptions['toolChoice']>;
  readonly maxOutputTokens: number;
  readonly providerOptions: NonNullable<LanguageModelV4CallOptions['providerOptions']>;
}

/** The model that the settings name. Throws an Error that says which setting is missing. */
export function modelFrom(settings: ModelSettings): ConfiguredModel {
  const parallel = settings.MODEL_PARALLEL_TOOL_CALLS;
  return {
    model: createLanguageModel(settings) ?? new OfflineModel(),
    toolChoice: toolChoiceOf(settings.MODEL_TOOL_CHOICE),
    maxOutputTokens: settings.MODEL_MAX_OUTPUT_TOKENS,
    // Only a no is said: not every endpoint knows the setting.
    providerOptions: parallel
      ? {}
      : { openai: { parallelToolCalls: false }, anthropic: { disableParallelToolUse: true }, compatible: { parallel_tool_calls: false } },
  };
}

function toolChoiceOf(choice: string): ConfiguredModel['toolChoice'] {
  if (choice === 'required') return { type: 'required' };
  return choice.startsWith('name:') ? { type: 'tool', toolName: choice.slice('name:'.length) } : { type: 'auto' };
}

import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4 } from '@ai-sdk/provider';

export interface ModelSettings {
  /** `openai:<model>`, `anthropic:<model>`, or the name of a model at MODEL_BASE_URL. */
  readonly MODEL: string;
  readonly MODEL_BASE_URL?: string | undefined;
  readonly MODEL_API_KEY?: string | undefined;
}

/** The model that the settings name. Throws an Error that says which setting is missing. */
export function languageModel({ MODEL, MODEL_BASE_URL, MODEL_API_KEY }: ModelSettings): LanguageModelV4 {
  const [, provider, name = ''] = /^(openai|anthropic):(.+)$/.exec(MODEL) ?? [];
  const access = { ...(MODEL_BASE_URL && { baseURL: MODEL_BASE_URL }), ...(MODEL_API_KEY && { apiKey: MODEL_API_KEY }) };
  if (provider && !MODEL_API_KEY) throw new Error(`MODEL=${MODEL} needs MODEL_API_KEY`);
  if (provider === 'openai') return createOpenAI(access).chat(name);
  if (provider === 'anthropic') return createAnthropic(access)(name);
  if (!MODEL_BASE_URL)
    throw new Error(
      `MODEL=${MODEL} needs MODEL_BASE_URL, or write openai:${MODEL} or anthropic:${MODEL}; without MODEL the built-in rules answer`,
    );
  return createOpenAICompatible({ ...access, baseURL: MODEL_BASE_URL, name: 'compatible', includeUsage: true }).chatModel(MODEL);
}

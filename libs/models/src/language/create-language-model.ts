import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { z } from 'zod';
import { boundedFetch } from '#lib/platform';

/** An answer of the longest kind has a few hundred kB, each token in an event of its own. */
const maxAnswerBytes = 32 * 1024 * 1024;

export const languageModelSettings = {
  /** `openai:<model>`, `anthropic:<model>`, or the name of a model at MODEL_BASE_URL; `offline` for the built-in rules. */
  MODEL: z.string().max(200).default('offline'),
  /** Where the model is served, for a model without a prefix; replaces the provider's own address for one with a prefix. */
  MODEL_BASE_URL: z.url().optional(),
  MODEL_API_KEY: z.string().optional(),
} as const;

export type LanguageModelSettings = z.output<z.ZodObject<typeof languageModelSettings>>;

/**
 * The language model that MODEL names; null for `offline`, where the caller's own rules answer.
 * @param reading how its answers are read
 * Throws an Error that names the setting that is missing.
 */
export function createLanguageModel(
  { MODEL, MODEL_BASE_URL, MODEL_API_KEY }: LanguageModelSettings,
  reading?: Parameters<typeof boundedFetch>[1],
): LanguageModelV4 | null {
  if (MODEL === 'offline') return null;
  const [, provider, name = ''] = /^(openai|anthropic):(.+)$/.exec(MODEL) ?? [];
  const access = {
    fetch: boundedFetch(maxAnswerBytes, reading),
    ...(MODEL_BASE_URL && { baseURL: MODEL_BASE_URL }),
    ...(MODEL_API_KEY && { apiKey: MODEL_API_KEY }),
  };
  if (provider && !MODEL_API_KEY) throw new Error(`the model ${MODEL} needs MODEL_API_KEY`);
  if (provider === 'openai') return createOpenAI(access).chat(name);
  if (provider === 'anthropic') return createAnthropic(access)(name);
  if (!MODEL_BASE_URL)
    throw new Error(
      `the model ${MODEL} needs MODEL_BASE_URL, or the prefix of its provider: openai:${MODEL} or anthropic:${MODEL}; the model 'offline' needs neither`,
    );
  return createOpenAICompatible({ ...access, baseURL: MODEL_BASE_URL, name: 'compatible', includeUsage: true }).chatModel(MODEL);
}

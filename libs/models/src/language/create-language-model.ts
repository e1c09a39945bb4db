import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { z } from 'zod';
import { boundedFetch, type SettingFault } from '#lib/platform';
import { measuredModel } from './measured-model.js';

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

/** What the settings of the model say together that is not right, by the setting that is missing; null where nothing is. */
export function modelFault({ MODEL, MODEL_BASE_URL, MODEL_API_KEY }: Partial<LanguageModelSettings>): SettingFault | null {
  if (!MODEL || MODEL === 'offline') return null;
  if (providerOf(MODEL)) return MODEL_API_KEY ? null : { name: 'MODEL_API_KEY', message: `is missing: the model ${MODEL} needs it` };
  if (MODEL_BASE_URL) return null;
  return {
    name: 'MODEL_BASE_URL',
    message: `is missing: the model ${MODEL} needs it, or the prefix of its provider: openai:${MODEL} or anthropic:${MODEL}; the model 'offline' needs neither`,
  };
}

function providerOf(model: string): { readonly provider: string; readonly name: string } | null {
  const [, provider, name] = /^(openai|anthropic):(.+)$/.exec(model) ?? [];
  return provider !== undefined && name !== undefined ? { provider, name } : null;
}

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
  const fault = modelFault({ MODEL, MODEL_BASE_URL, MODEL_API_KEY });
  if (fault) throw new Error(`${fault.name} ${fault.message}`);
  const access = {
    fetch: boundedFetch(maxAnswerBytes, reading),
    ...(MODEL_BASE_URL && { baseURL: MODEL_BASE_URL }),
    ...(MODEL_API_KEY && { apiKey: MODEL_API_KEY }),
  };
  return measuredModel(modelAt(MODEL, access), MODEL_BASE_URL);
}

interface Access {
  readonly fetch: ReturnType<typeof boundedFetch>;
  readonly baseURL?: string;
  readonly apiKey?: string;
}

function modelAt(model: string, access: Access): LanguageModelV4 {
  const known = providerOf(model);
  if (known?.provider === 'openai') return createOpenAI(access).chat(known.name);
  if (known) return createAnthropic(access)(known.name);
  return createOpenAICompatible({ baseURL: '', ...access, name: 'compatible', includeUsage: true }).chatModel(model);
}

import { z } from 'zod';
import { hashedNgrams, type Embedder } from '#lib/retrieval';
import { localModelSettings } from '../local-models.js';
import { localOnnx } from './local-onnx.js';
import { openAiCompatible } from './openai-compatible.js';

export const embeddingSettings = {
  ...localModelSettings,
  /**
   * `hashed-ngrams` compares spelling and needs no model; `openai` is any server that speaks OpenAI's embeddings; `local` is an ONNX
   * model on this machine; `off` searches by keywords alone.
   */
  EMBEDDING_PROVIDER: z.enum(['hashed-ngrams', 'openai', 'local', 'off']).default('hashed-ngrams'),
  EMBEDDING_MODEL: z.string().optional(),
  EMBEDDING_BASE_URL: z.url({ protocol: /^https?$/ }).optional(),
  EMBEDDING_API_KEY: z.string().optional(),
  /** Length of the vectors, 1–16,000, of models that can shorten theirs; the model's own when absent. */
  EMBEDDING_DIMENSION: z.coerce.number().int().min(1).max(16_000).optional(),
} as const;

/** The provider of vectors that the settings choose; null for `off`. Throws an Error that names the setting that is missing. */
export function createEmbedder(settings: z.output<z.ZodObject<typeof embeddingSettings>>): Embedder | null {
  const { EMBEDDING_MODEL: model, EMBEDDING_BASE_URL: baseUrl, EMBEDDING_DIMENSION: dimension } = settings;
  switch (settings.EMBEDDING_PROVIDER) {
    case 'off':
      return null;
    case 'hashed-ngrams':
      return hashedNgrams(dimension);
    case 'openai':
      if (!model || !baseUrl) throw new Error('EMBEDDING_PROVIDER=openai needs EMBEDDING_MODEL and EMBEDDING_BASE_URL');
      return openAiCompatible({ baseUrl, model, apiKey: settings.EMBEDDING_API_KEY, dimension });
    case 'local':
      if (!model) throw new Error('EMBEDDING_PROVIDER=local needs EMBEDDING_MODEL, such as Xenova/multilingual-e5-small');
      return localOnnx({ model, directory: settings.MODEL_DIR });
  }
}

// Which embedding provider and which reranker, from the environment: the same for the worker, the importer and the bench.
import { z } from 'zod';
import { hashedNgrams, localCrossEncoder, localOnnx, openAiCompatible, type CrossEncoder, type Embedder } from '#lib/retrieval';

export const knowledgeSettings = {
  /** `hashed-ngrams` needs no model · `openai` any server that speaks OpenAI's embeddings · `local` ONNX on this machine · `off`. */
  EMBEDDING_PROVIDER: z.enum(['hashed-ngrams', 'openai', 'local', 'off']).default('hashed-ngrams'),
  EMBEDDING_MODEL: z.string().optional(),
  EMBEDDING_BASE_URL: z.url({ protocol: /^https?$/ }).optional(),
  EMBEDDING_API_KEY: z.string().optional(),
  EMBEDDING_DIMENSION: z.coerce.number().int().min(1).max(16_000).optional(),
  /** A folder of models; with it nothing is downloaded from the hub. */
  MODEL_DIR: z.string().optional(),
  /** A cross-encoder in ONNX; without it features rank. */
  RERANKER_MODEL: z.string().optional(),
} as const;

export type KnowledgeSettings = z.output<z.ZodObject<typeof knowledgeSettings>>;

/** Null when vectors are switched off. Throws when a provider lacks a setting, naming it. */
export function embedderOf(settings: KnowledgeSettings): Embedder | null {
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

export function crossEncoderOf({ RERANKER_MODEL: model, MODEL_DIR: directory }: KnowledgeSettings): CrossEncoder | undefined {
  return model ? localCrossEncoder({ model, directory }) : undefined;
}

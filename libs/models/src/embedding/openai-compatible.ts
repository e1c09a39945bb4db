import { z } from 'zod';
import { boundedFetch } from '#lib/platform';
import { unitLength, type Embedder } from '#lib/retrieval';
import { once } from '../once.js';
import { ProviderError } from '../provider-error.js';

interface OpenAiCompatibleOptions {
  /** Such as `https://api.openai.com/v1`; `/embeddings` is added. */
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey?: string | undefined;
  /** Asked of models that can shorten their vectors; the model's own when absent. */
  readonly dimension?: number | undefined;
  /** Time limit of one request. Default 10,000. */
  readonly timeoutMs?: number;
}

const answer = z.object({ data: z.array(z.object({ index: z.number().int(), embedding: z.array(z.number()) })) });
const batchSize = 64;
/** 64 vectors of 4,096 numbers have about 6 MB. */
const fetchBounded = boundedFetch(32 * 1024 * 1024);

/** Any server that speaks OpenAI's `POST /embeddings`: OpenAI, vLLM, Ollama, TEI, LM Studio. Its methods throw ProviderError. */
export function openAiCompatible({ baseUrl, model, apiKey, dimension, timeoutMs = 10_000 }: OpenAiCompatibleOptions): Embedder {
  const url = `${baseUrl.replace(/\/+$/, '')}/embeddings`;
  const provider = `the embedding provider at ${new URL(url).host}`;
  const post = async (input: readonly string[], signal?: AbortSignal): Promise<readonly Float32Array[]> => {
    const limit = AbortSignal.timeout(timeoutMs);
    const response = await fetchBounded(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
      body: JSON.stringify({ model, input, encoding_format: 'float', ...(dimension !== undefined && { dimensions: dimension }) }),
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    }).catch((error: unknown) => {
      throw new ProviderError(`${provider} gave no answer`, { cause: error });
    });
    if (!response.ok) throw new ProviderError(`${provider} answered ${response.status}`);
    const parsed = answer.safeParse(await response.json().catch(() => null));
    if (!parsed.success || parsed.data.data.length !== input.length)
      throw new ProviderError(`${provider} answered with something else than ${input.length} vectors`);
    return parsed.data.data.toSorted((a, b) => a.index - b.index).map(({ embedding }) => unitLength(Float32Array.from(embedding)));
  };
  return {
    name: `openai-compatible:${model}`,
    unrelated: 0.3,
    knows: 'meaning',
    dimension: once(async () => dimension ?? (await post(['dimension']))[0]?.length ?? 0),
    embed: async (texts, { signal }) => {
      const vectors: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += batchSize) vectors.push(...(await post(texts.slice(at, at + batchSize), signal)));
      return vectors;
    },
  };
}

export interface EmbedOptions {
  /** Some models tell questions and texts apart. */
  readonly kind: 'query' | 'document';
  readonly signal?: AbortSignal | undefined;
}

/** Texts → vectors of length one, of one dimension. Its name is kept with each vector: vectors of two names are never compared. */
export interface Embedder {
  /** Provider, model and, where it matters, version: `openai-compatible:bge-m3`. */
  readonly name: string;
  /** Known at once, or after the first call of the provider. Rejects when the provider cannot be reached. */
  readonly dimension: () => Promise<number>;
  /** In the order of the texts. */
  readonly embed: (texts: readonly string[], options: EmbedOptions) => Promise<readonly Float32Array[]>;
  /** At what cosine two texts begin to be about the same; what unrelated texts of this model have. Calibrates confidence. */
  readonly unrelated: number;
  /** What nearness says: that texts are written alike, or that they mean alike. It decides what a neighbour counts beside a keyword hit. */
  readonly knows: 'spelling' | 'meaning';
}

/** The provider could not be used: its settings, its address or its answer is wrong. The message says which. */
export class EmbeddingError extends Error {
  override readonly name = 'EmbeddingError';
}

/** A vector without any direction stays as it is. */
export function unitLength(vector: Float32Array): Float32Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  const norm = Math.sqrt(sum);
  return norm > 0 ? vector.map((value) => value / norm) : vector;
}

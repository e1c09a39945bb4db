/** A model that reads question and text together. It is slower and better than comparing vectors, so only the best candidates reach it. */
export interface Reranker {
  /** Provider and model, such as `local-cross-encoder:Xenova/bge-reranker-base`. */
  readonly name: string;
  /** The log-odds that each text answers the query, in the order of the texts. */
  readonly score: (query: string, texts: readonly string[]) => Promise<readonly number[]>;
}

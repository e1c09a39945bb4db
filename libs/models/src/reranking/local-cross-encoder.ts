import { EmbeddingError } from '../embedding/embedder.js';
import { loadTransformers, once, type LocalModelOptions } from '../embedding/transformers.js';

/** Reads question and text together. Slower and better than comparing vectors; it sees the best candidates alone. */
export interface CrossEncoder {
  readonly name: string;
  /** The log-odds that each text answers the query, in the order of the texts. */
  readonly score: (query: string, texts: readonly string[]) => Promise<readonly number[]>;
}

/** A sequence-classification model in ONNX, such as `Xenova/bge-reranker-base`. */
export function localCrossEncoder(options: LocalModelOptions): CrossEncoder {
  const { model, dtype = 'q8' } = options;
  const loaded = once(async () => {
    const { AutoTokenizer, AutoModelForSequenceClassification } = await loadTransformers(options);
    return Promise.all([AutoTokenizer.from_pretrained(model), AutoModelForSequenceClassification.from_pretrained(model, { dtype })]).catch(
      (error: unknown) => {
        throw new EmbeddingError(`the cross-encoder ${model} does not load${options.directory ? ` from ${options.directory}` : ''}`, {
          cause: error,
        });
      },
    );
  });
  return {
    name: `local-cross-encoder:${model}`,
    score: async (query, texts) => {
      const [tokenize, classify] = await loaded();
      const inputs: unknown = tokenize(
        texts.map(() => query),
        { text_pair: [...texts], padding: true, truncation: true },
      );
      const output = (await classify(inputs)) as { logits: { tolist: () => number[][] } };
      return output.logits.tolist().map(([first = 0, second]) => (second === undefined ? first : second - first));
    },
  };
}

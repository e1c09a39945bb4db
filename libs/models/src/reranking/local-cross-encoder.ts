import type { Reranker } from '#lib/retrieval';
import { dtype, loadTransformers, notLoaded, type LocalModelOptions } from '../local-models.js';
import { once } from '../once.js';

/** A sequence-classification model in ONNX that reads question and text together, such as `Xenova/bge-reranker-base`. */
export function localCrossEncoder(options: LocalModelOptions): Reranker {
  const { model } = options;
  const loaded = once(async () => {
    const { AutoTokenizer, AutoModelForSequenceClassification } = loadTransformers(options);
    return Promise.all([AutoTokenizer.from_pretrained(model), AutoModelForSequenceClassification.from_pretrained(model, { dtype })]).catch(
      (error: unknown) => {
        throw notLoaded('cross-encoder', options, error);
      },
    );
  });
  return {
    name: `local-cross-encoder:${model}`,
    score: async (query, texts) => {
      const [tokenize, classify] = await loaded();
      const inputs = tokenize(
        texts.map(() => query),
        { text_pair: [...texts], padding: true, truncation: true },
      );
      const output = await classify(inputs);
      // One logit is the score; of two, the second is for "answers the query".
      return output.logits.tolist().map(([first = 0, second]) => (second === undefined ? first : second - first));
    },
  };
}

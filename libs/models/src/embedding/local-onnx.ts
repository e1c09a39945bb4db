import { unitLength, type Embedder } from '#lib/retrieval';
import { dtype, loadTransformers, notLoaded, type LocalModelOptions } from '../local-models.js';
import { once } from '../once.js';

const batchSize = 16;

/** A sentence model in ONNX on this machine. Models of the E5 family get the prefixes that they were trained with. */
export function localOnnx(options: LocalModelOptions): Embedder {
  const { model } = options;
  const isE5 = /(^|[/-])e5(-|$)/i.test(model);
  const extractor = once(async () => {
    const { pipeline } = loadTransformers(options);
    return pipeline('feature-extraction', model, { dtype }).catch((error: unknown) => {
      throw notLoaded('local model', options, error);
    });
  });
  const embed = async (texts: readonly string[], kind: 'query' | 'document'): Promise<readonly Float32Array[]> => {
    const run = await extractor();
    const vectors: Float32Array[] = [];
    for (let at = 0; at < texts.length; at += batchSize) {
      const batch = texts.slice(at, at + batchSize).map((text) => (isE5 ? `${kind === 'query' ? 'query' : 'passage'}: ${text}` : text));
      const tensor = await run(batch, { pooling: 'mean', normalize: false });
      for (const row of tensor.tolist()) vectors.push(unitLength(Float32Array.from(row)));
    }
    return vectors;
  };
  const dimension = once(async () => (await embed(['dimension'], 'query'))[0]?.length ?? 0);
  return {
    name: `local-onnx:${model}`,
    // E5 puts all texts into a narrow cone, so that even unrelated ones have a high cosine.
    unrelated: isE5 ? 0.75 : 0.25,
    knows: 'meaning',
    dimension,
    embed: (texts, { kind }) => embed(texts, kind),
  };
}

// @huggingface/transformers is an optional package of a hundred megabytes: it is loaded when a setting asks for it.
import { EmbeddingError } from './embedder.js';

export interface LocalModelOptions {
  /** A model of the hub (`Xenova/multilingual-e5-small`), or a folder's name under `directory`. */
  readonly model: string;
  /** Where models lie; with it nothing is downloaded. */
  readonly directory?: string | undefined;
  /** Weights in the model's `onnx` folder. Default `q8`. */
  readonly dtype?: 'fp32' | 'fp16' | 'q8' | 'q4';
}

/** The package, set up for a model directory or the hub. Throws EmbeddingError when it is not installed. */
export async function loadTransformers({ directory }: LocalModelOptions): Promise<typeof import('@huggingface/transformers')> {
  const transformers = await import('@huggingface/transformers').catch((error: unknown) => {
    throw new EmbeddingError(
      'a local model needs the optional package @huggingface/transformers and its ONNX runtime: npm install, or choose another provider',
      { cause: error },
    );
  });
  if (directory !== undefined) {
    transformers.env.localModelPath = directory;
    transformers.env.allowRemoteModels = false;
  }
  return transformers;
}

/** Runs the loader once; a failed load is tried again by the next caller. */
export function once<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loaded: Promise<Value> | undefined;
  return () => {
    if (loaded) return loaded;
    const loading = load();
    loaded = loading;
    loading.catch(() => void (loaded = undefined));
    return loading;
  };
}

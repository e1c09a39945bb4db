// Models in ONNX that run on this machine. @huggingface/transformers is an optional package of a hundred megabytes, so it is loaded when
// a setting asks for it.
import { z } from 'zod';
import { ProviderError } from './provider-error.js';

export const localModelSettings = {
  /** A folder of ONNX models; with it nothing is downloaded from the hub. */
  MODEL_DIR: z.string().optional(),
} as const;

export interface LocalModelOptions {
  /** A model of the hub (`Xenova/multilingual-e5-small`), or the name of a folder in `directory`. */
  readonly model: string;
  /** The folder of models; with it nothing is downloaded. */
  readonly directory?: string | undefined;
}

/** Quantisation of the weights: 8 bits cost little quality and a quarter of the memory. */
export const dtype = 'q8';

/** The package, set up for a folder of models or for the hub. Throws ProviderError when it is not installed. */
export async function loadTransformers({ directory }: LocalModelOptions): Promise<typeof import('@huggingface/transformers')> {
  const transformers = await import('@huggingface/transformers').catch((error: unknown) => {
    throw new ProviderError(
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

/** @param kind what the model is, for the message: `local model`, `cross-encoder` */
export function notLoaded(kind: string, { model, directory }: LocalModelOptions, cause: unknown): ProviderError {
  return new ProviderError(`the ${kind} ${model} does not load${directory ? ` from ${directory}` : ''}`, { cause });
}

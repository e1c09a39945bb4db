// Models in ONNX that run on this machine. Their packages are half a gigabyte, so they are installed and loaded when a setting asks for them.
import { z } from 'zod';
import { requireOptional } from '#lib/platform';
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

interface Tensor {
  readonly tolist: () => number[][];
}

interface LoadOptions {
  /** Quantisation of the weights. */
  readonly dtype: string;
}

/** What is used of @huggingface/transformers. */
export interface Transformers {
  readonly env: { localModelPath: string; allowRemoteModels: boolean };
  readonly pipeline: (
    task: 'feature-extraction',
    model: string,
    options: LoadOptions,
  ) => Promise<(texts: readonly string[], options: { readonly pooling: 'mean'; readonly normalize: boolean }) => Promise<Tensor>>;
  readonly AutoTokenizer: {
    readonly from_pretrained: (
      model: string,
    ) => Promise<
      (
        texts: readonly string[],
        options: { readonly text_pair: readonly string[]; readonly padding: boolean; readonly truncation: boolean },
      ) => unknown
    >;
  };
  readonly AutoModelForSequenceClassification: {
    readonly from_pretrained: (model: string, options: LoadOptions) => Promise<(inputs: unknown) => Promise<{ readonly logits: Tensor }>>;
  };
}

/** Quantisation of the weights: 8 bits cost little quality and a quarter of the memory. */
export const dtype = 'q8';

const transformersPackage = { name: '@huggingface/transformers', folder: 'deploy/local-models' };

/** The package, set up for a folder of models or for the hub. Throws ProviderError when it is not installed. */
export function loadTransformers({ directory }: LocalModelOptions): Transformers {
  const transformers = installed();
  if (directory !== undefined) {
    transformers.env.localModelPath = directory;
    transformers.env.allowRemoteModels = false;
  }
  return transformers;
}

function installed(): Transformers {
  try {
    const transformers: Transformers = requireOptional(transformersPackage)(transformersPackage.name);
    return transformers;
  } catch (cause) {
    const missing = cause instanceof Error ? cause.message : String(cause);
    throw new ProviderError(`a local model needs an ONNX runtime (480 MB). ${missing}, or choose another provider`, { cause });
  }
}

/** @param kind what the model is, for the message: `local model`, `cross-encoder` */
export function notLoaded(kind: string, { model, directory }: LocalModelOptions, cause: unknown): ProviderError {
  return new ProviderError(`the ${kind} ${model} does not load${directory ? ` from ${directory}` : ''}`, { cause });
}

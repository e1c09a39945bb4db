import { z } from 'zod';
import type { Reranker } from '#lib/retrieval';
import { localModelSettings } from '../local-models.js';
import { localCrossEncoder } from './local-cross-encoder.js';

export const rerankerSettings = {
  ...localModelSettings,
  /** A cross-encoder in ONNX, such as `Xenova/bge-reranker-base`; without it search ranks by its own features. */
  RERANKER_MODEL: z.string().optional(),
} as const;

/** The reranker that the settings name; undefined when they name none. */
export function createReranker({
  RERANKER_MODEL: model,
  MODEL_DIR: directory,
}: z.output<z.ZodObject<typeof rerankerSettings>>): Reranker | undefined {
  return model ? localCrossEncoder({ model, directory }) : undefined;
}

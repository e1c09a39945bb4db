import { z } from 'zod';
import { memotreeErrorCodes } from './vocabulary.js';

/** The answer of a batch: one outcome for each item, in the order of the request. */
export function batchOut<Data extends z.ZodType>(data: Data) {
  return z.object({
    succeeded: z.int(),
    failed: z.int(),
    results: z.array(
      z.object({
        index: z.int(),
        success: z.boolean(),
        data: data.optional(),
        errorCode: z.enum(memotreeErrorCodes).optional(),
        message: z.string().optional(),
      }),
    ),
  });
}

/** For examples: the answer of a batch of one item that succeeded. */
export function oneSucceeded<Data>(data: Data) {
  return { succeeded: 1, failed: 0, results: [{ index: 0, success: true, data }] };
}

/** For examples: a node as batches answer it, without what only one of them adds. */
export const exampleNode = {
  nodeId: '3fa4c1d20b7e',
  title: 'One',
  type: 'Concept' as const,
  tags: [],
  parentId: 'root',
  freshness: 'none' as const,
};

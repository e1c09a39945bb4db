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

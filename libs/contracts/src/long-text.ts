// What every tool that returns long text has in common (TU-54…56): how much of it is wanted, and what is told of the rest.
import { z } from 'zod';

/** Parameters of such a tool. */
export const longTextParameters = {
  max_length: z.int().min(1).max(100_000).default(2_000).describe('Characters of text given back, 1–100000.'),
  return_summary: z.boolean().default(true).describe('Whether text that was cut comes with a summary.'),
} as const;

/** What was cut; lengths in characters. */
export const truncationInfo = z.object({
  original_length: z.int().describe('Characters of the whole.'),
  returned_length: z.int(),
  summary: z.string().optional(),
});

// Fields that all tools with long text share (TU-54…56): how much text is wanted, and what is said about the rest.
import { z } from 'zod';

/** The parameters of such a tool. */
export const longTextParameters = {
  max_length: z.int().min(1).max(100_000).default(2_000).describe('Characters of text given back, 1–100000.'),
  return_summary: z.boolean().default(true).describe('Whether text that was cut comes with a summary.'),
} as const;

/** How much was cut. Lengths are in characters. */
export const truncationInfo = z.object({
  original_length: z.int().describe('Characters of the whole.'),
  returned_length: z.int(),
  summary: z.string().optional(),
});

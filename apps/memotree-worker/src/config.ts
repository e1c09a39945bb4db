import { z } from 'zod';
import { embeddingSettings, languageModelSettings, modelPrices } from '#lib/models';
import { workerSettings } from '#lib/platform';

export const memotreeSettings = {
  ...workerSettings,
  ...embeddingSettings,
  /** The model that writes summaries. The agent has the same settings. */
  ...languageModelSettings,
  /** What their tokens cost. */
  MODEL_PRICES: modelPrices,
  /** Days after which a view forgets how it shows a node that nobody has folded or unfolded. */
  VIEW_DAYS: z.coerce.number().int().min(1).max(36_500).default(365),
} as const;

export type MemotreeSettings = z.output<z.ZodObject<typeof memotreeSettings>>;

import { embeddingSettings, languageModelSettings } from '#lib/models';
import { workerSettings } from '#lib/platform';

export const memotreeSettings = {
  ...workerSettings,
  ...embeddingSettings,
  /** The model that writes summaries. The agent has the same settings. */
  ...languageModelSettings,
} as const;

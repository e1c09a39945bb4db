import { z } from 'zod';
import { workerSettings } from '#lib/platform';

export const profileSettings = {
  ...workerSettings,
  /** Which cut-offs decide the BMI category: those of the WHO or the Chinese ones of WS/T 428. */
  BMI_STANDARD: z.enum(['who', 'cn']).default('who'),
} as const;

export type ProfileSettings = z.output<z.ZodObject<typeof profileSettings>>;

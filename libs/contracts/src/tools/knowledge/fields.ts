import { z } from 'zod';
import { sensitive } from '../../marks.js';

/** Text of a person, counted as people count: trimmed, in code points. Masked in logs, since it may speak of health or money. */
export function queryText(most: number, description: string) {
  return sensitive(
    z
      .string()
      .trim()
      .min(1)
      .refine((text) => text.length <= most || Array.from(text).length <= most, { error: `must have at most ${most} characters` })
      .meta({ maxLength: most })
      .describe(description),
  );
}

/** Names of collections and labels: short, lower case. */
export const collectionName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be lower-case letters, digits and hyphens, at most 63')
  .describe('Collection, such as health, stripe-onboarding, bazi, zodiac or documents: lower-case letters, digits, hyphens.');

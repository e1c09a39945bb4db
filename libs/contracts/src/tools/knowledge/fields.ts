import { z } from 'zod';
import { sensitive } from '../../marks.js';

/** A question in a person's words: trimmed, 1 to `most` code points. Masked in logs, because it may concern health or money. */
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

/** The name of a collection: 1–63 lower-case letters, digits and hyphens. */
export const collectionName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be lower-case letters, digits and hyphens, at most 63')
  .describe('Collection, such as health, stripe-onboarding, bazi, zodiac or documents: lower-case letters, digits, hyphens.');

import { z } from 'zod';
import { defineTool } from '#lib/contracts';

/** Still served; its end is announced. */
export const labSunset = defineTool({
  name: 'lab_sunset',
  version: '1.2.0',
  title: 'Lab sunset',
  description: 'Echo a word, until its sunset date. For tests only.',
  domain: 'profile',
  effect: 'read',
  input: z.strictObject({ word: z.string().max(200) }),
  output: z.strictObject({ word: z.string() }),
  errors: {},
  timeoutMs: 1_000,
  sunsetDate: '2099-12-31',
  replacement: 'lab_effect',
  migrationGuide: 'https://example.com/guides/lab-sunset',
  estimatedTokens: 10,
  examples: [{ input: { word: 'dusk' }, output: { word: 'dusk' } }],
});

import { z } from 'zod';
import { defineTool } from '#lib/contracts';

/** Refused with TOOL_DEPRECATED. */
export const labRetired = defineTool({
  name: 'lab_retired',
  version: '1.0.0',
  title: 'Lab retired',
  description: 'Was replaced and is no longer served. For tests only.',
  domain: 'profile',
  effect: 'read',
  input: z.strictObject({ word: z.string().max(200) }),
  output: z.strictObject({ word: z.string() }),
  errors: {},
  timeoutMs: 1_000,
  deprecated: true,
  sunsetDate: '2026-01-01',
  replacement: 'lab_sunset',
  migrationGuide: 'https://example.com/guides/lab-retired',
  estimatedTokens: 10,
  examples: [{ input: { word: 'night' }, output: { word: 'night' } }],
});

import { z } from 'zod';
import { defineTool } from '#lib/contracts';

/** Answers with the text that it is given. */
export const labAnswer = defineTool({
  name: 'lab_answer',
  version: '1.0.0',
  changelog: { '1.0.0': 'First version.' },
  title: 'Lab answer',
  description: 'Give back an answer that the caller has thought of. For tests only.',
  domain: 'profile',
  effect: 'read',
  input: z.strictObject({
    query: z.string().max(500).describe('What is asked.'),
    answer: z.string().max(500).describe('What is answered.'),
  }),
  output: z.strictObject({ text: z.string() }),
  errors: {},
  timeoutMs: 1_000,
  estimatedTokens: 20,
  examples: [{ input: { query: 'why?', answer: 'because' }, output: { text: 'because' } }],
});

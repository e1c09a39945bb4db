import { z } from 'zod';
import { defineTool } from '../../define-tool.js';
import { sensitive } from '../../marks.js';

const tone = z.enum(['positive', 'neutral', 'caution']);

/** ShowInsight of the VibeLife agent specification (VL-15). */
export const showInsight = defineTool({
  name: 'show_insight',
  version: '1.0.0',
  changelog: { '1.0.0': 'The VibeLife agent specification v5.0.' },
  title: 'Show an insight',
  description: 'Show the user one insight on a card: a short title and one thought. Use it for a single point worth remembering.',
  zh: {
    title: '展示见解',
    description: '以卡片向用户展示一条见解：简短的标题和一个想法。用于值得记住的一点。',
  },
  domain: 'agent',
  effect: 'read',
  input: z.strictObject({
    title: z.string().min(1).max(80).describe('Title of the card, 1–80 characters.'),
    content: sensitive(z.string().min(1).max(1_000)).describe('The thought, 1–1,000 characters.'),
    tone: tone.default('neutral').describe('How the card looks: positive, neutral or caution.'),
  }),
  output: z.strictObject({
    status: z.literal('shown'),
    type: z.literal('insight'),
    title: z.string(),
    content: sensitive(z.string()),
    tone,
  }),
  errors: {},
  timeoutMs: 2_000,
  estimatedTokens: { input: 80, output: { min: 26, typical: 80, max: 320 } },
  examples: [
    {
      input: { title: '今日提示', content: '先做最难的一件事。' },
      output: { status: 'shown', type: 'insight', title: '今日提示', content: '先做最难的一件事。', tone: 'neutral' },
    },
  ],
});

import { z } from 'zod';
import { defineTool } from '../../define-tool.js';
import { sensitive } from '../../marks.js';

const sections = z.array(z.strictObject({ heading: z.string().min(1).max(120), content: z.string().min(1).max(8_000) })).max(20);

/** ShowReport of the VibeLife agent specification (VL-15). The client shows the parameters as they are. */
export const showReport = defineTool({
  name: 'show_report',
  version: '1.0.0',
  changelog: { '1.0.0': 'The VibeLife agent specification v5.0.' },
  title: 'Show a report',
  description: 'Show the user a report with a title, a summary and sections. Use it once, when an analysis is complete.',
  zh: {
    title: '展示报告',
    description: '向用户展示一份有标题、摘要和各章节的报告。在分析完成时使用一次。',
  },
  domain: 'agent',
  effect: 'read',
  input: z.strictObject({
    title: z.string().min(1).max(120).describe('Title of the report, 1–120 characters.'),
    summary: sensitive(z.string().min(1).max(1_000)).describe('Its main statement in a few sentences.'),
    sections: sensitive(sections.min(1)).describe('1–20 sections, each with a heading and its text.'),
  }),
  output: z.strictObject({
    status: z.literal('shown'),
    type: z.literal('report'),
    title: z.string(),
    summary: sensitive(z.string()),
    sections: sensitive(sections),
  }),
  errors: {},
  timeoutMs: 2_000,
  estimatedTokens: { input: 600, output: { min: 200, typical: 600, max: 2400 } },
  examples: [
    {
      input: { title: '事业分析', summary: '稳中有进。', sections: [{ heading: '格局', content: '正官格，重秩序与责任。' }] },
      output: {
        status: 'shown',
        type: 'report',
        title: '事业分析',
        summary: '稳中有进。',
        sections: [{ heading: '格局', content: '正官格，重秩序与责任。' }],
      },
    },
  ],
});

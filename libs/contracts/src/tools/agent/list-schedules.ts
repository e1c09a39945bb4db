import { z } from 'zod';
import { defineTool } from '../../define-tool.js';
import { exampleSchedule, toldSchedule } from './schedule-fields.js';

/** What is called later. */
export const listSchedules = defineTool({
  name: 'list_schedules',
  version: '1.0.0',
  changelog: { '1.0.0': 'First version.' },
  title: 'Scheduled calls',
  description: 'List the schedules of the user by name: what is called, when next, and whether something is wrong with it.',
  zh: {
    title: '定时调用列表',
    description: '按名称列出用户的定时调用：调用什么、下次何时、是否有问题。',
  },
  domain: 'agent',
  effect: 'read',
  scopes: ['schedules'],
  input: z.strictObject({
    limit: z.int().min(1).max(100).default(20).describe('The most schedules, 1–100.'),
    cursor: z.string().min(1).max(2_000).optional().describe('next_cursor of the list before.'),
  }),
  output: z.strictObject({ schedules: z.array(toldSchedule), next_cursor: z.string().nullable() }),
  errors: { BAD_CURSOR: 'INVALID_PARAMS', NOT_ALLOWED: 'PERMISSION_DENIED' },
  timeoutMs: 10_000,
  retry: { network: { times: 2, baseMs: 200 } },
  estimatedTokens: { input: 10, output: { min: 10, typical: 300, max: 9_000 } },
  examples: [{ input: { limit: 20 }, output: { schedules: [exampleSchedule], next_cursor: null } }],
});

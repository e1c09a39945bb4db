import { z } from 'zod';
import { newScheduleFields } from '../../console/schedules.js';
import { defineTool } from '../../define-tool.js';
import { sensitive } from '../../marks.js';
import { exampleSchedule, toldSchedule } from './schedule-fields.js';

const { name, tool, cron, every_ms: everyMs, time_zone: timeZone, ends_at: endsAt } = newScheduleFields;

/** Has a tool called later, once or again and again. */
export const scheduleCall = defineTool({
  name: 'schedule_call',
  version: '1.0.0',
  changelog: { '1.0.0': 'First version.' },
  title: 'Schedule a call',
  description:
    'Have a tool called later as the user: once at a time, by cron, or every so many ms. Exactly one of at, cron and every_ms. The same name with the same call is the same schedule; with another it is refused.',
  zh: {
    title: '安排定时调用',
    description:
      '以用户身份在以后调用一个工具：某时一次、按 cron，或每隔若干毫秒。at、cron 和 every_ms 三者选一。名称和调用都相同的是同一个定时调用；名称相同而调用不同的会被拒绝。',
  },
  domain: 'agent',
  effect: 'write',
  destructive: false,
  scopes: ['schedules'],
  input: z.strictObject({
    name: name.describe('Names the schedule among those of the user, such as weekly-report: 1–64 letters, digits, _ . or -.'),
    tool: tool.describe('Name of the tool that is called.'),
    arguments: sensitive(z.string().max(65_536)).default('{}').describe('Its parameters, a JSON object such as {"location":"Beijing"}.'),
    at: endsAt.describe('Once, at this time: ISO 8601 with an offset.'),
    cron: cron.describe('Five fields, such as 0 8 * * 1 for Mondays at 8, or six with seconds first.'),
    every_ms: everyMs.describe('Every so many milliseconds, 1000–31536000000.'),
    time_zone: timeZone.describe('IANA, such as Asia/Shanghai: whose clocks cron is read by. Ask where the user is, if it matters.'),
    ends_at: endsAt.describe('No call after this time: ISO 8601 with an offset.'),
  }),
  output: toldSchedule,
  errors: {
    NOT_SCHEDULABLE: 'INVALID_PARAMS',
    TOOL_NOT_FOUND: 'TOOL_NOT_FOUND',
    NOT_ALLOWED: 'PERMISSION_DENIED',
    NAME_TAKEN: 'CONFLICT',
    TOO_MANY_SCHEDULES: 'QUOTA_EXCEEDED',
  },
  timeoutMs: 10_000,
  retry: { network: { times: 2, baseMs: 200 } },
  estimatedTokens: { input: 80, output: { min: 50, typical: 90, max: 16_000 } },
  examples: [
    {
      input: {
        name: exampleSchedule.name,
        tool: exampleSchedule.tool,
        arguments: JSON.stringify(exampleSchedule.arguments),
        cron: exampleSchedule.cron,
        time_zone: exampleSchedule.time_zone,
      },
      output: exampleSchedule,
    },
  ],
});

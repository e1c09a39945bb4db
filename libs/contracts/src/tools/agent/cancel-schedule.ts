import { z } from 'zod';
import { newScheduleFields } from '../../console/schedules.js';
import { defineTool } from '../../define-tool.js';

/** Ends a schedule. */
export const cancelSchedule = defineTool({
  name: 'cancel_schedule',
  version: '1.0.0',
  changelog: { '1.0.0': 'First version.' },
  title: 'Cancel a schedule',
  description:
    'Delete a schedule of the user: it calls nothing any more. A call that runs already goes on. One that is not there is cancelled already.',
  zh: {
    title: '取消定时调用',
    description: '删除用户的一个定时调用，此后不再调用。已经在运行的调用会继续。不存在的视为已取消。',
  },
  domain: 'agent',
  effect: 'write',
  scopes: ['schedules'],
  input: z.strictObject({ name: newScheduleFields.name.describe('Name of the schedule, as list_schedules has it.') }),
  output: z.strictObject({ name: z.string(), status: z.enum(['cancelled', 'not_there']) }),
  errors: { NOT_ALLOWED: 'PERMISSION_DENIED' },
  timeoutMs: 10_000,
  retry: { network: { times: 2, baseMs: 200 } },
  estimatedTokens: { input: 15, output: { min: 10, typical: 15, max: 30 } },
  examples: [{ input: { name: 'weather-of-monday' }, output: { name: 'weather-of-monday', status: 'cancelled' } }],
});

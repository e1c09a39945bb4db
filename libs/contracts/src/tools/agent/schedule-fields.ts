import { z } from 'zod';
import { schedule } from '../../console/schedules.js';
import { sensitive } from '../../marks.js';

/** A schedule as a model is told it. Times are ISO 8601. */
export const toldSchedule = z.strictObject({
  name: z.string(),
  tool: z.string(),
  arguments: sensitive(z.record(z.string(), z.unknown())),
  cron: z.string().nullable(),
  every_ms: z.number().nullable().describe('Null with cron, and for a call that comes once.'),
  time_zone: z.string(),
  ends_at: z.string().nullable(),
  state: schedule.shape.state,
  next_at: z.string().nullable().describe('When it calls next.'),
  last_at: z.string().nullable(),
  problem: z.string().nullable().describe('Why it stopped, or why its next call would be refused.'),
});

export type ToldSchedule = z.infer<typeof toldSchedule>;

export const exampleSchedule = {
  name: 'weather-of-monday',
  tool: 'get_weather',
  arguments: { location: 'Beijing' },
  cron: '0 8 * * 1',
  every_ms: null,
  time_zone: 'Asia/Shanghai',
  ends_at: null,
  state: 'active',
  next_at: '2026-01-05T00:00:00.000Z',
  last_at: null,
  problem: null,
} as const;

import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { scheduleCall, type ToolInput, jsonIn } from '#lib/contracts';
import type { NewSchedule, Schedule } from '#lib/client';
import { answerOf } from '../gateway-answer.js';
import { handleLocal } from '../local-services.js';
import { onceEveryMs, told } from '../schedules.js';

const literals = {
  INVALID_PARAMS: 'NOT_SCHEDULABLE',
  TOOL_NOT_FOUND: 'TOOL_NOT_FOUND',
  PERMISSION_DENIED: 'NOT_ALLOWED',
  CONFLICT: 'NAME_TAKEN',
  QUOTA_EXCEEDED: 'TOO_MANY_SCHEDULES',
} as const;

export const handleScheduleCall = handleLocal(scheduleCall, async (input, context) => {
  const { schedules, error, network, signal } = context;
  const parameters = objectIn(input.arguments);
  if (!parameters) throw error('NOT_SCHEDULABLE', 'arguments must be a JSON object');
  const asked = newScheduleOf(input, parameters);
  if (!asked) throw error('NOT_SCHEDULABLE', 'Exactly one of at, cron and every_ms says when');
  return network(async () => {
    const own = schedules(context);
    const made = await answerOf(own.create(asked, { signal }), literals);
    if ('data' in made) return told(made.data);
    // An earlier attempt has made it, or the model asks twice.
    const known = made.literal === 'NAME_TAKEN' ? await answerOf(own.get(asked.name, { signal }), literals) : null;
    if (known && 'data' in known && isSame(known.data, asked)) return told(known.data);
    throw error(made.literal, made.message, { details: made.details });
  });
});

const object = z.record(z.string(), z.unknown());

/** Null for what is no JSON object. */
function objectIn(text: string): Readonly<Record<string, unknown>> | null {
  return object.safeParse(jsonIn(text)).data ?? null;
}

/** Null where it is not said when, or twice. */
function newScheduleOf(
  { at, cron, every_ms, name, tool, ends_at, time_zone }: ToolInput<typeof scheduleCall>,
  parameters: Readonly<Record<string, unknown>>,
): NewSchedule | null {
  if ([at, cron, every_ms].filter((when) => when !== undefined).length !== 1) return null;
  const common = { name, tool, arguments: parameters, time_zone };
  if (at !== undefined) return { ...common, every_ms: onceEveryMs, starts_at: at, ends_at: at };
  const until = ends_at === undefined ? {} : { ends_at };
  if (cron !== undefined) return { ...common, cron, ...until };
  return every_ms === undefined ? null : { ...common, every_ms, ...until };
}

function isSame(known: Schedule, asked: NewSchedule): boolean {
  const parts = ({ tool, cron = null, every_ms = null, time_zone = 'UTC', starts_at, ends_at, ...more }: NewSchedule | Schedule) => [
    tool,
    more.arguments ?? {},
    cron,
    every_ms,
    time_zone,
    ...[starts_at, ends_at].map((time) => (time ? Date.parse(time) : null)),
  ];
  return isDeepStrictEqual(parts(known), parts(asked));
}

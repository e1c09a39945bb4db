// Schedules of the user, for the agent's tools: at the gateway, in the name of the user.
import type { Schedule } from '#lib/client';
import type { ToldSchedule } from '#lib/contracts';

/** A year, in ms: what is to come once begins and ends with its time, so it has no second one. */
export const onceEveryMs = 31_536_000_000;

export function told({
  name,
  tool,
  cron,
  every_ms,
  time_zone,
  ends_at,
  state,
  next_at,
  last_at,
  problem,
  ...more
}: Schedule): ToldSchedule {
  const repeats = every_ms === onceEveryMs && more.starts_at !== null && more.starts_at === ends_at ? null : every_ms;
  const common = { name, tool, arguments: { ...more.arguments }, cron, every_ms: repeats, time_zone, ends_at, state, next_at, last_at };
  return { ...common, problem: problem?.message ?? null };
}

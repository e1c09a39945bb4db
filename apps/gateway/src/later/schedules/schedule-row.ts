import { createHash } from 'node:crypto';
import type { Schedule } from '#lib/contracts';
import type { Database } from '#lib/platform';
import { Plan } from './plan.js';

export type ScheduleRow = NonNullable<Awaited<ReturnType<Database['schedule']['findUnique']>>>;
export type RunRow = NonNullable<Awaited<ReturnType<Database['scheduleRun']['findUnique']>>>;

/** What its sealed arguments are bound to. */
export function argumentsPurpose({ tenantId, owner }: Pick<ScheduleRow, 'tenantId' | 'owner'>): string {
  return `schedule of ${JSON.stringify([tenantId, owner])}`;
}

/** The moments of a schedule. Throws CronError. */
export function planOf(row: Pick<ScheduleRow, 'cron' | 'everyMs' | 'timeZone' | 'startsAt' | 'endsAt' | 'createdAt'>): Plan {
  return new Plan({
    cron: row.cron,
    everyMs: row.everyMs === null ? null : Number(row.everyMs),
    timeZone: row.timeZone,
    startsAt: row.startsAt?.getTime() ?? null,
    endsAt: row.endsAt?.getTime() ?? null,
    madeAt: row.createdAt.getTime(),
  });
}

/** How much later than by the plan a moment is called: always the same for one moment, whichever process asks. */
export function jitterOf({ id, jitterMs }: Pick<ScheduleRow, 'id' | 'jitterMs'>, at: number): number {
  if (jitterMs === 0) return 0;
  return createHash('sha256').update(`${id}/${at}`).digest().readUInt32BE() % (jitterMs + 1);
}

export function stateOf(row: Pick<ScheduleRow, 'stoppedAt' | 'paused' | 'nextAt' | 'lookAt'>): Schedule['state'] {
  if (row.stoppedAt) return 'stopped';
  if (row.paused) return 'paused';
  return row.nextAt || row.lookAt ? 'active' : 'ended';
}

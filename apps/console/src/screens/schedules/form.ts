// What is typed into the form of a schedule, and what the gateway gets of it.
import type { NewSchedule, Schedule } from '#lib/client';
import type { Input } from '../../components/schema-form/input.js';
import { localOf } from '../../language/local-time.js';

const unitMs = { s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 } as const;
export type Unit = keyof typeof unitMs;
export const units: readonly Unit[] = ['s', 'min', 'h', 'd'];

export interface ScheduleForm {
  readonly name: string;
  readonly tool: string;
  readonly arguments: Input;
  readonly kind: 'cron' | 'every';
  readonly cron: string;
  readonly every: string;
  readonly unit: Unit;
  readonly timeZone: string;
  /** As `datetime-local` has them, on the clock of the reader; empty without a bound. */
  readonly startsAt: string;
  readonly endsAt: string;
  readonly overlap: 'skip' | 'queue' | 'allow';
  readonly missed: 'skip' | 'once' | 'all';
  /** Seconds. */
  readonly jitter: string;
}

/** What each part of the form needs. */
export interface PartProps {
  readonly form: ScheduleForm;
  readonly faults: ReadonlyMap<string, string>;
  readonly onChange: (change: Partial<ScheduleForm>) => void;
}

export function newForm(): ScheduleForm {
  return {
    name: '',
    tool: '',
    arguments: {},
    kind: 'cron',
    cron: '0 9 * * *',
    every: '15',
    unit: 'min',
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    startsAt: '',
    endsAt: '',
    overlap: 'skip',
    missed: 'once',
    jitter: '0',
  };
}

export function formFrom(schedule: Schedule): ScheduleForm {
  const [every, unit] = schedule.every_ms === null ? ['15', 'min' as const] : spanOf(schedule.every_ms);
  return {
    name: schedule.name,
    tool: schedule.tool,
    arguments: schedule.arguments,
    kind: schedule.cron === null ? 'every' : 'cron',
    cron: schedule.cron ?? '0 9 * * *',
    every,
    unit,
    timeZone: schedule.time_zone,
    startsAt: localOf(schedule.starts_at),
    endsAt: localOf(schedule.ends_at),
    overlap: schedule.overlap,
    missed: schedule.missed,
    jitter: String(schedule.jitter_ms / 1_000),
  };
}

/** A span in its largest whole unit. */
export function spanOf(ms: number): readonly [string, Unit] {
  const unit = units.findLast((one) => ms % unitMs[one] === 0) ?? 's';
  return [String(ms / unitMs[unit]), unit];
}

/** Null while something is missing that the gateway would only refuse. */
export function bodyOf(form: ScheduleForm): NewSchedule | null {
  const everyMs = Math.round(Number(form.every) * unitMs[form.unit]);
  if (form.name === '' || form.tool === '') return null;
  if (form.kind === 'cron' ? form.cron.trim() === '' : !(everyMs > 0)) return null;
  return {
    name: form.name,
    tool: form.tool,
    arguments: form.arguments,
    ...(form.kind === 'cron' ? { cron: form.cron.trim() } : { every_ms: everyMs }),
    time_zone: form.timeZone.trim() === '' ? 'UTC' : form.timeZone.trim(),
    ...(form.startsAt !== '' && { starts_at: new Date(form.startsAt).toISOString() }),
    ...(form.endsAt !== '' && { ends_at: new Date(form.endsAt).toISOString() }),
    overlap: form.overlap,
    missed: form.missed,
    jitter_ms: Math.round(Number(form.jitter) * 1_000) || 0,
  };
}

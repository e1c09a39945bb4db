// What the gateway answers of schedules, by its wire contract. A later gateway may add fields.
import type { Pagination } from './history-wire.js';

interface ScheduleRules {
  /** IANA, default `UTC`. */
  readonly time_zone?: string;
  /** While the call before still runs. Default `skip`. */
  readonly overlap?: 'skip' | 'queue' | 'allow';
  /** For moments at which no gateway was there. Default `once`. */
  readonly missed?: 'skip' | 'once' | 'all';
  readonly jitter_ms?: number;
  readonly paused?: boolean;
}

/** Exactly one of `cron` and `every_ms`. */
type When = { readonly cron: string; readonly every_ms?: never } | { readonly every_ms: number; readonly cron?: never };

export type NewSchedule = ScheduleRules &
  When & {
    readonly name: string;
    /** Name, alias or `name@range`. */
    readonly tool: string;
    readonly arguments?: Readonly<Record<string, unknown>>;
    /** ISO 8601 with an offset. */
    readonly starts_at?: string;
    readonly ends_at?: string;
  };

/** What is left out stays; null takes a bound away. */
export interface ScheduleChange extends ScheduleRules {
  readonly name?: string;
  readonly tool?: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  readonly cron?: string;
  readonly every_ms?: number;
  readonly starts_at?: string | null;
  readonly ends_at?: string | null;
}

export interface Schedule extends Required<ScheduleRules> {
  readonly id: string;
  readonly name: string;
  /** The principal whose it is. */
  readonly owner: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly cron: string | null;
  readonly every_ms: number | null;
  readonly starts_at: string | null;
  readonly ends_at: string | null;
  readonly state: 'active' | 'paused' | 'stopped' | 'ended';
  /** Why it stopped, or why its next call would be refused. */
  readonly problem: { readonly code: string; readonly message: string } | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly next_at: string | null;
  readonly last_at: string | null;
  readonly last_job_id: string | null;
}

export interface SchedulePage {
  readonly schedules: readonly Schedule[];
  readonly pagination: Pagination;
}

/** What became of one moment. */
export interface ScheduleRun {
  readonly at: string;
  readonly manual: boolean;
  readonly state: 'due' | 'called' | 'skipped' | 'missed' | 'failed';
  readonly called_at: string | null;
  readonly job_id: string | null;
  /** Null where the job is kept no more. */
  readonly job_state: 'waiting' | 'active' | 'delayed' | 'completed' | 'failed' | 'cancelled' | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

export interface ScheduleRunPage {
  readonly runs: readonly ScheduleRun[];
  readonly pagination: Pagination;
}

/** The job of a call by hand. */
export interface StartedRun {
  readonly schedule_id: string;
  readonly job_id: string;
  readonly state: 'waiting' | 'active' | 'delayed' | 'completed' | 'failed' | 'cancelled';
  readonly tool_name: string;
  readonly trace_id: string;
}

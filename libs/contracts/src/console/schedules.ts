import { z } from 'zod';
import { jobStates } from '../envelope.js';
import { moment, pageCursor, pagination } from './past.js';

const overlapRules = ['skip', 'queue', 'allow'] as const;
const missedRules = ['skip', 'once', 'all'] as const;

const yearMs = 31_536_000_000;
const uuidShape = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text names a schedule by its id, which no name looks like. */
export const isScheduleId = (text: string): boolean => uuidShape.test(text);

const fields = z.strictObject({
  /** Unique among the schedules of its owner. */
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, 'must be a letter or digit, then at most 63 letters, digits, _ . or -')
    .refine((name) => !isScheduleId(name), { error: 'must not look like an id' }),
  /** Name, alias or `name@range`. */
  tool: z.string().min(1).max(200),
  arguments: z.record(z.string(), z.unknown()).default({}),
  /** Five or six fields; the first of six is seconds. */
  cron: z.string().max(400).optional(),
  /** Instead of `cron`: counted from `starts_at`, else from when the schedule was made. */
  every_ms: z.int().min(1_000).max(yearMs).optional(),
  /** IANA, such as `Europe/Berlin`: whose clocks `cron` is read by. */
  time_zone: z.string().max(64).default('UTC'),
  starts_at: moment.optional(),
  ends_at: moment.optional(),
  /** What becomes of a call while the one before it still runs. */
  overlap: z.enum(overlapRules).default('skip'),
  /** What becomes of moments at which no gateway was there, more than a minute ago. `all`: the newest 100. */
  missed: z.enum(missedRules).default('once'),
  /** Each call comes up to so many ms later, by chance. */
  jitter_ms: z.int().min(0).max(3_600_000).default(0),
  paused: z.boolean().default(false),
});

/** Fields of a new schedule, each with its bounds. */
export const newScheduleFields = fields.shape;

/** Body of `POST /schedules`. */
export const newSchedule = fields.superRefine((body, context) => {
  const fault = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message });
  if ((body.cron === undefined) === (body.every_ms === undefined)) fault('cron', 'must be given, or every_ms, and not both');
  if (body.starts_at !== undefined && body.ends_at !== undefined && Date.parse(body.ends_at) < Date.parse(body.starts_at))
    fault('ends_at', 'must not be before starts_at');
  if (body.every_ms !== undefined && body.jitter_ms >= body.every_ms) fault('jitter_ms', 'must be less than every_ms');
});
export type NewSchedule = z.output<typeof newSchedule>;

/** Parameters of `POST /schedules`. */
export const newScheduleQuery = z.strictObject({
  /** `true` checks it and tells its first moments, with status 200, and makes none. A name that is taken is no fault then. */
  dry_run: z.enum(['true', 'false'], 'must be true or false').optional(),
});

/** What is asked with `dry_run=true`: the first five moments by the plan, without the jitter. */
export const schedulePreview = z.strictObject({ next: z.array(z.iso.datetime()) });
export type SchedulePreview = z.infer<typeof schedulePreview>;

/** Body of `PATCH /schedules/{name}`: what is given is changed; null takes a bound away. */
export const scheduleChange = z.strictObject({
  name: fields.shape.name.optional(),
  tool: fields.shape.tool.optional(),
  arguments: z.record(z.string(), z.unknown()).optional(),
  cron: fields.shape.cron,
  every_ms: fields.shape.every_ms,
  time_zone: z.string().max(64).optional(),
  starts_at: moment.nullable().optional(),
  ends_at: moment.nullable().optional(),
  overlap: z.enum(overlapRules).optional(),
  missed: z.enum(missedRules).optional(),
  jitter_ms: z.int().min(0).max(3_600_000).optional(),
  paused: z.boolean().optional(),
});
export type ScheduleChange = z.output<typeof scheduleChange>;

const told = z.strictObject({ code: z.string(), message: z.string() });

/** One schedule as it is shown. */
export const schedule = z.strictObject({
  id: z.string(),
  name: z.string(),
  /** The principal whose it is. */
  owner: z.string(),
  tool: z.string(),
  /** Sensitive ones are masked for everybody but the owner. */
  arguments: z.record(z.string(), z.unknown()),
  cron: z.string().nullable(),
  every_ms: z.number().nullable(),
  time_zone: z.string(),
  starts_at: z.iso.datetime().nullable(),
  ends_at: z.iso.datetime().nullable(),
  overlap: z.enum(overlapRules),
  missed: z.enum(missedRules),
  jitter_ms: z.number(),
  paused: z.boolean(),
  /** `stopped`: its maker may not call any more. `ended`: no moment is left. */
  state: z.enum(['active', 'paused', 'stopped', 'ended']),
  /** Why it stopped, or why its next call would be refused, such as TOOL_NOT_FOUND. Null where nothing is wrong. */
  problem: told.nullable(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  /** By the plan, without the jitter. Null where there is none, also while it is paused or stopped. */
  next_at: z.iso.datetime().nullable(),
  last_at: z.iso.datetime().nullable(),
  last_job_id: z.string().nullable(),
});
export type Schedule = z.infer<typeof schedule>;

/** Parameters of `GET /schedules`. */
export const schedulesQuery = z.strictObject({
  /** Of the caller; `tenant`, for administrators: of everybody in its tenant. */
  scope: z.enum(['mine', 'tenant']).default('mine'),
  cursor: pageCursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});
export type SchedulesQuery = z.output<typeof schedulesQuery>;

/** Answer of `GET /schedules`, by name. */
export const schedulePage = z.strictObject({ schedules: z.array(schedule), pagination });
export type SchedulePage = z.infer<typeof schedulePage>;

/** What became of one moment. */
export const scheduleRun = z.strictObject({
  /** The moment by the plan; the time of the request for a call by hand. */
  at: z.iso.datetime(),
  manual: z.boolean(),
  /**
   * `due`: it waits. `called`: it became a job. `skipped`: the one before it still ran. `missed`: no gateway was there. `failed`: the call
   * was refused.
   */
  state: z.enum(['due', 'called', 'skipped', 'missed', 'failed']),
  called_at: z.iso.datetime().nullable(),
  job_id: z.string().nullable(),
  /** Of the job; null where it is kept no more, 24 h after its end. */
  job_state: z.enum(jobStates).nullable(),
  error: told.nullable(),
});
export type ScheduleRun = z.infer<typeof scheduleRun>;

/** Parameters of `GET /schedules/{name}/runs`. */
export const scheduleRunsQuery = schedulesQuery.omit({ scope: true });
export type ScheduleRunsQuery = z.output<typeof scheduleRunsQuery>;

/** Answer of `GET /schedules/{name}/runs`, newest first. The newest 1,000 are kept. */
export const scheduleRunPage = z.strictObject({ runs: z.array(scheduleRun), pagination });
export type ScheduleRunPage = z.infer<typeof scheduleRunPage>;

/** Answer of `POST /schedules/{name}/run`, with status 202. */
export const startedRun = z.strictObject({
  schedule_id: z.string(),
  job_id: z.string(),
  state: z.enum(jobStates),
  tool_name: z.string(),
  trace_id: z.string(),
  links: z.strictObject({ self: z.string(), events: z.string(), cancel: z.string() }),
});
export type StartedRun = z.infer<typeof startedRun>;

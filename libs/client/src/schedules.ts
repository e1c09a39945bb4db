import { requestParts, type CallOptions, type RequestOptions } from './call-request.js';
import { queryOf } from './paths.js';
import type { Requests } from './requests.js';
import type { NewSchedule, Schedule, ScheduleChange, SchedulePage, ScheduleRunPage, StartedRun } from './schedule-wire.js';

interface ScheduleListOptions extends RequestOptions {
  /** Default `mine`; `tenant` is for administrators. */
  readonly scope?: 'mine' | 'tenant' | undefined;
  /** `next_cursor` of the page before. */
  readonly cursor?: string | undefined;
  /** 1–100, default 50. */
  readonly limit?: number | undefined;
}

/** Calls that are made again and again. Each is named by its own name, or by its id. The key needs the scope `schedules`. */
export class Schedules {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  /** Throws CONFLICT when there is one of this name. */
  async create(schedule: NewSchedule, options: RequestOptions = {}): Promise<Schedule> {
    return this.#requests.transport.json<Schedule>('schedules', { method: 'POST', body: schedule, ...requestParts(options) });
  }

  /** Checks one, and makes none. @returns its first five moments, by the plan, ISO 8601 */
  async preview(schedule: NewSchedule, options: RequestOptions = {}): Promise<readonly string[]> {
    const request = { method: 'POST', body: schedule, ...requestParts(options) } as const;
    return (await this.#requests.transport.json<{ readonly next: readonly string[] }>('schedules?dry_run=true', request)).next;
  }

  /** A page of the caller's own, by name. */
  async list({ scope, cursor, limit, ...options }: ScheduleListOptions = {}): Promise<SchedulePage> {
    return this.#requests.get<SchedulePage>(`schedules${queryOf({ scope, cursor, limit })}`, options);
  }

  async get(name: string, options: RequestOptions = {}): Promise<Schedule> {
    return this.#requests.get<Schedule>(pathOf(name), options);
  }

  /** Changes what is given. It calls with the rights of this client's key from then on. */
  async change(name: string, change: ScheduleChange, options: RequestOptions = {}): Promise<Schedule> {
    return this.#requests.transport.json<Schedule>(pathOf(name), { method: 'PATCH', body: change, ...requestParts(options) });
  }

  async delete(name: string, options: RequestOptions = {}): Promise<Schedule> {
    return this.#requests.transport.json<Schedule>(pathOf(name), { method: 'DELETE', ...requestParts(options) });
  }

  /** Makes its call now. With an idempotency key, a request that was lost is sent again. */
  async run(name: string, options: Pick<CallOptions, keyof RequestOptions | 'idempotencyKey'> = {}): Promise<StartedRun> {
    const request = { method: 'POST', ...requestParts(options) } as const;
    return this.#requests.retrying(options, () => this.#requests.transport.json<StartedRun>(`${pathOf(name)}/run`, request));
  }

  /** A page of what became of its moments, the newest first. */
  async runs(name: string, { cursor, limit, ...options }: Omit<ScheduleListOptions, 'scope'> = {}): Promise<ScheduleRunPage> {
    return this.#requests.get<ScheduleRunPage>(`${pathOf(name)}/runs${queryOf({ cursor, limit })}`, options);
  }
}

function pathOf(name: string): string {
  return `schedules/${encodeURIComponent(name)}`;
}

import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import {
  invalidField,
  hasScope,
  isScheduleId,
  newSchedule,
  parseOrRefuse,
  principal,
  redact,
  Refusal,
  validateInput,
  type Caller,
  type NewSchedule,
  type Schedule,
  type ScheduleChange,
} from '#lib/contracts';
import { toRefusal } from '../../calls/to-refusal.js';
import { stored } from '../../http/stored.js';
import { toKeptCaller } from '../../callers/kept-caller.js';
import { authorise } from '../../calls/authorise.js';
import { ToolDirectory } from '../../calls/tool-directory.js';
import { CronError } from './cron.js';
import { argumentsPurpose, jitterOf, planOf, stateOf, type ScheduleRow } from './schedule-row.js';
import { type ChangedRow, type SchedulePlace, ScheduleStore } from './schedule-store.js';
import { isTimeZone } from '#lib/platform';
import { Stores } from '../../stores.js';
import { SharedClock } from '#lib/transport';

export const unreachable = 'The schedules cannot be reached at the moment';

/** How many moments a preview tells. */
const previewed = 5;

const timing = ['cron', 'every_ms', 'time_zone', 'starts_at', 'ends_at'] as const;

/**
 * The schedules of callers. Each is its owner's: administrators of the tenant see all of them, and may pause and delete them, and never
 * make one call something in its owner's name.
 */
@Injectable()
export class Schedules {
  constructor(
    private readonly stores: Stores,
    private readonly store: ScheduleStore,
    private readonly tools: ToolDirectory,
    private readonly clock: SharedClock,
  ) {}

  /** Throws INVALID_PARAMS, PERMISSION_DENIED or TOOL_NOT_FOUND for what could not be called, CONFLICT for a name that is taken, QUOTA_EXCEEDED. */
  async create(caller: Caller, body: NewSchedule): Promise<ScheduleRow> {
    this.#checkCall(caller, body);
    const owner = principal(caller);
    const id = randomUUID();
    const at = new Date(this.clock.now());
    const row = { ...this.#columns(caller, body, owner), id, createdAt: at, updatedAt: at, plannedUntil: at };
    const next = nextOf({ ...row, ...timesOf(body, at) }, at.getTime());
    if (next === null) throw noMoment(body);
    const made = await stored(unreachable, () => this.store.create(owner, { ...row, ...lookAt(row, body.paused ? null : next) }));
    if (!made) throw taken(body.name);
    return made;
  }

  /** The first moments that one would have, epoch ms. Throws like `create`, save for a name that is taken and for too many. */
  preview(caller: Caller, body: NewSchedule): readonly number[] {
    this.#checkCall(caller, body);
    const now = this.clock.now();
    const times = timesOf(body, new Date(now));
    const moments: number[] = [];
    for (let next = nextOf(times, now); next !== null && moments.length < previewed; next = nextOf(times, next)) moments.push(next);
    if (moments.length === 0) throw noMoment(body);
    return moments;
  }

  /**
   * By its name or its id. Throws RESOURCE_NOT_FOUND, the same for none and for one that the caller may not see.
   */
  async find(caller: Caller, named: string): Promise<ScheduleRow> {
    const row = await stored(unreachable, () =>
      isScheduleId(named) ? this.store.byId(named) : this.store.byName(caller.tenantId, principal(caller), named.slice(0, 64)),
    );
    if (row && row.tenantId === caller.tenantId && (isOwn(row, caller) || hasScope(caller, 'tenant:admin'))) return row;
    throw new Refusal('RESOURCE_NOT_FOUND', 'There is no such schedule; see GET /schedules');
  }

  /** By name. Without an owner those of the whole tenant. */
  async page(
    of: { readonly tenantId: string; readonly owner: string | null },
    after: SchedulePlace | null,
    most: number,
  ): Promise<readonly ScheduleRow[]> {
    return stored(unreachable, () => this.store.page(of, after, most));
  }

  /**
   * Changes one, which calls with the rights of this caller from then on. An administrator may pause one of somebody else, and it keeps its
   * maker. Throws like `create`, and CONFLICT when it was changed meanwhile.
   */
  async change(caller: Caller, row: ScheduleRow, change: ScheduleChange): Promise<ScheduleRow> {
    const isOwner = isOwn(row, caller);
    if (!isOwner && !(change.paused === true && Object.keys(change).length === 1))
      throw new Refusal('PERMISSION_DENIED', `This schedule is that of ${row.owner}: an administrator may pause it, or delete it`);
    const body = this.#merged(row, change);
    if (change.tool !== undefined || change.arguments !== undefined) this.#checkCall(caller, body);
    const at = new Date(this.clock.now());
    const plannedUntil = new Date(Math.max(at.getTime(), row.plannedUntil.getTime()));
    const next = nextOf({ ...row, ...timesOf(body, row.createdAt) }, plannedUntil.getTime());
    if (next === null && timing.some((field) => change[field] !== undefined))
      throw invalidField('cron', 'leaves no moment that is still to come');
    const data: ChangedRow = {
      ...(isOwner ? { ...this.#columns(caller, body, row.owner), stoppedAt: null, stopReason: null } : { paused: true }),
      updatedAt: at,
      plannedUntil,
      ...lookAt({ ...row, jitterMs: body.jitter_ms }, body.paused ? null : next),
    };
    if (change.name !== undefined && change.name !== row.name) {
      const { name } = change;
      if (await stored(unreachable, () => this.store.byName(row.tenantId, row.owner, name))) throw taken(name);
    }
    const changed = await stored(unreachable, () => this.store.change(principal(caller), row, { data, drops: body.paused }));
    if (!changed) throw new Refusal('CONFLICT', 'The schedule was changed meanwhile; read it again');
    return changed;
  }

  async remove(caller: Caller, row: ScheduleRow): Promise<void> {
    await stored(unreachable, () => this.store.remove(principal(caller), row));
  }

  /** What it calls its tool with. Throws PERMISSION_DENIED for everybody but its owner. */
  argumentsOf(caller: Caller, row: ScheduleRow): Record<string, unknown> {
    if (!isOwn(row, caller)) throw new Refusal('PERMISSION_DENIED', `This schedule is that of ${row.owner}, who alone may call it`);
    return this.#opened(row);
  }

  /** As it is shown to a caller who may see it. */
  shown(caller: Caller, row: ScheduleRow): Schedule {
    const state = stateOf(row);
    const parameters = this.#opened(row);
    const contract = this.tools.of(caller).named(row.tool);
    // Without its contract nobody knows what is to be masked.
    const masked = contract ? redact(contract.input, 'input', parameters) : {};
    return {
      id: row.id,
      name: row.name,
      owner: row.owner,
      tool: row.tool,
      arguments: isOwn(row, caller) ? parameters : { ...Object(masked) },
      cron: row.cron,
      every_ms: row.everyMs === null ? null : Number(row.everyMs),
      time_zone: row.timeZone,
      starts_at: row.startsAt?.toISOString() ?? null,
      ends_at: row.endsAt?.toISOString() ?? null,
      overlap: overlapOf(row.overlap),
      missed: missedOf(row.missed),
      jitter_ms: row.jitterMs,
      paused: row.paused,
      state,
      problem: this.#problem(caller, row, parameters),
      created_at: row.createdAt.toISOString(),
      updated_at: row.updatedAt.toISOString(),
      next_at: (state === 'active' ? row.nextAt : null)?.toISOString() ?? null,
      last_at: row.lastAt?.toISOString() ?? null,
      last_job_id: row.lastJobId,
    };
  }

  #problem(caller: Caller, row: ScheduleRow, parameters: unknown): Schedule['problem'] {
    if (row.stoppedAt) return { code: 'UNAUTHORIZED', message: row.stopReason ?? 'Its maker may not call any more' };
    try {
      // Whether its owner may call it is for the call itself to say.
      validateInput(this.tools.of({ tenantId: caller.tenantId }).resolve(row.tool), parameters);
      return null;
    } catch (error) {
      const { family, message } = toRefusal(error).error;
      return { code: family, message };
    }
  }

  #checkCall(caller: Caller, body: NewSchedule): void {
    const contract = this.tools.of(caller).resolve(body.tool);
    authorise(caller, contract, validateInput(contract, body.arguments));
  }

  /** The whole schedule with a change, checked like a new one. */
  #merged(row: ScheduleRow, change: ScheduleChange): NewSchedule {
    const before = {
      name: row.name,
      tool: row.tool,
      arguments: this.#opened(row),
      cron: change.every_ms === undefined ? (row.cron ?? undefined) : undefined,
      every_ms: change.cron === undefined && row.everyMs !== null ? Number(row.everyMs) : undefined,
      time_zone: row.timeZone,
      starts_at: row.startsAt?.toISOString(),
      ends_at: row.endsAt?.toISOString(),
      overlap: row.overlap,
      missed: row.missed,
      jitter_ms: row.jitterMs,
      paused: row.paused,
    };
    const after = Object.entries({ ...before, ...change }).filter(([, value]) => value !== null && value !== undefined);
    return parseOrRefuse(newSchedule, Object.fromEntries(after));
  }

  #columns(caller: Caller, body: NewSchedule, owner: string) {
    const { tenantId, credentialId } = caller;
    return {
      tenantId,
      owner,
      name: body.name,
      tool: body.tool,
      arguments: this.stores.sealer.sealText(JSON.stringify(body.arguments), argumentsPurpose({ tenantId, owner })),
      ...columnsOfTimes(body),
      overlap: body.overlap,
      missed: body.missed,
      jitterMs: body.jitter_ms,
      paused: body.paused,
      maker: toKeptCaller(caller),
      credentialId,
    };
  }

  #opened(row: ScheduleRow): Record<string, unknown> {
    const opened: unknown = JSON.parse(this.stores.sealer.openText(row.arguments, argumentsPurpose(row)));
    return { ...Object(opened) };
  }
}

function isOwn(row: ScheduleRow, caller: Caller): boolean {
  return row.tenantId === caller.tenantId && row.owner === principal(caller);
}

function columnsOfTimes(body: NewSchedule) {
  return {
    cron: body.cron ?? null,
    everyMs: body.every_ms === undefined ? null : BigInt(body.every_ms),
    timeZone: body.time_zone,
    startsAt: body.starts_at === undefined ? null : new Date(body.starts_at),
    endsAt: body.ends_at === undefined ? null : new Date(body.ends_at),
  };
}

function timesOf(body: NewSchedule, createdAt: Date) {
  return { ...columnsOfTimes(body), createdAt };
}

/** The first moment after one. Throws INVALID_PARAMS that names the field. */
function nextOf(times: Parameters<typeof planOf>[0], after: number): number | null {
  if (!isTimeZone(times.timeZone)) throw invalidField('time_zone', 'must be an IANA time zone, such as Europe/Berlin');
  try {
    return planOf(times).next(after);
  } catch (error) {
    if (error instanceof CronError) throw invalidField('cron', error.message);
    throw error;
  }
}

function lookAt(row: Pick<ScheduleRow, 'id' | 'jitterMs'>, next: number | null) {
  return { nextAt: next === null ? null : new Date(next), lookAt: next === null ? null : new Date(next + jitterOf(row, next)) };
}

function noMoment({ cron }: NewSchedule): Refusal {
  return invalidField(cron === undefined ? 'ends_at' : 'cron', 'leaves no moment that is still to come');
}

function taken(name: string): Refusal {
  return new Refusal('CONFLICT', `You have a schedule ${name} already; change it with PATCH /schedules/${name}`);
}

function overlapOf(text: string): Schedule['overlap'] {
  return text === 'queue' || text === 'allow' ? text : 'skip';
}

function missedOf(text: string): Schedule['missed'] {
  return text === 'skip' || text === 'all' ? text : 'once';
}

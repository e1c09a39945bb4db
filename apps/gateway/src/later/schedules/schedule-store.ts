import { Inject, Injectable } from '@nestjs/common';
import { Refusal } from '#lib/contracts';
import { changeAs, modelRows, type Database } from '#lib/platform';
import { Outbox } from '../../outbox/outbox.js';
import { missedEvent } from '../../outbox/told-events.js';
import type { RunRow, ScheduleRow } from './schedule-row.js';
import { Stores } from '../../stores.js';

/** @limit a tenant: schedules; QUOTA_EXCEEDED */
export const mostSchedules = 1_000;
/** Runs of a schedule that are kept. */
const keptRuns = 1_000;

/** A place in a list of schedules. */
export interface SchedulePlace {
  readonly name: string;
  readonly id: string;
}

/** A place in a list of runs. */
export interface RunPlace {
  readonly at: number;
  readonly manual: boolean;
}

/** A moment that a sweeper has found. */
export interface PlannedRun {
  readonly at: Date;
  readonly state: 'due' | 'missed' | 'skipped';
  readonly waits: boolean;
}

/** What a call came to. */
export type Settled =
  | { readonly state: 'called'; readonly jobId: string | null }
  | { readonly state: 'skipped' }
  | { readonly state: 'failed'; readonly error: { readonly code: string; readonly message: string } };

export type NewRow = Omit<Parameters<Database['schedule']['create']>[0]['data'], 'runs' | 'namespace'> & { readonly tenantId: string };
export type ChangedRow = Parameters<Database['schedule']['updateMany']>[0]['data'];

type Tables = Pick<Database, 'schedule' | 'scheduleRun' | '$transaction' | '$queryRaw'>;

/** Schedules and their runs in Postgres. Rejects when it is away. */
@Injectable()
export class ScheduleStore {
  constructor(
    // Of the Redis in which its schedules call: those of another are left to its gateways.
    @Inject(Stores) private readonly stores: { readonly database: Tables; readonly settings: Pick<Stores['settings'], 'INVOQ_NAMESPACE'> },
    @Inject(Outbox) private readonly outbox: Pick<Outbox, 'add'>,
  ) {}

  async byId(id: string): Promise<ScheduleRow | null> {
    return this.stores.database.schedule.findUnique({ where: { id } });
  }

  async byName(tenantId: string, owner: string, name: string): Promise<ScheduleRow | null> {
    return this.stores.database.schedule.findUnique({ where: { tenantId_owner_name: { tenantId, owner, name } } });
  }

  /** By name. Without an owner those of the whole tenant. */
  async page(
    of: { readonly tenantId: string; readonly owner: string | null },
    after: SchedulePlace | null,
    most: number,
  ): Promise<readonly ScheduleRow[]> {
    return this.stores.database.schedule.findMany({
      where: {
        tenantId: of.tenantId,
        ...(of.owner !== null && { owner: of.owner }),
        ...(after && { OR: [{ name: { gt: after.name } }, { name: after.name, id: { gt: after.id } }] }),
      },
      orderBy: [{ name: 'asc' }, { id: 'asc' }],
      take: most,
    });
  }

  /** Null where the owner has one of this name. Throws QUOTA_EXCEEDED. */
  async create(by: string, row: NewRow): Promise<ScheduleRow | null> {
    const { tenantId } = row;
    return changeAs(this.stores.database, by, async (transaction) => {
      await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtext(${`schedules of ${tenantId}`}))`;
      if ((await transaction.schedule.count({ where: { tenantId } })) >= mostSchedules) return 'full';
      const taken = await transaction.schedule.findFirst({ where: { tenantId, owner: row.owner, name: row.name }, select: { id: true } });
      return taken ? null : transaction.schedule.create({ data: { ...row, namespace: this.stores.settings.INVOQ_NAMESPACE } });
    }).then((made) => {
      if (made === 'full') throw full();
      return made;
    });
  }

  /** Null where somebody else has changed it since it was read. @param drops whether what is still due is given up */
  async change(
    by: string,
    row: ScheduleRow,
    { drops, data }: { readonly data: ChangedRow; readonly drops: boolean },
  ): Promise<ScheduleRow | null> {
    const { id, revision } = row;
    return changeAs(this.stores.database, by, async (transaction) => {
      const { count } = await transaction.schedule.updateMany({ where: { id, revision }, data: { ...data, revision: revision + 1 } });
      if (count === 0) return null;
      if (drops) await transaction.scheduleRun.updateMany({ where: { scheduleId: id, state: 'due' }, data: { state: 'skipped' } });
      return transaction.schedule.findUnique({ where: { id } });
    });
  }

  async remove(by: string, { id }: Pick<ScheduleRow, 'id'>): Promise<void> {
    await changeAs(this.stores.database, by, async (transaction) => transaction.schedule.deleteMany({ where: { id } }));
  }

  /** Its runs, newest first, those after a place. */
  async runs({ id }: Pick<ScheduleRow, 'id'>, after: RunPlace | null, most: number): Promise<readonly RunRow[]> {
    const at = after && new Date(after.at);
    return this.stores.database.scheduleRun.findMany({
      where: {
        scheduleId: id,
        ...(after && at && { OR: [{ at: { lt: at } }, ...(after.manual ? [] : [{ at, manual: true }])] }),
      },
      orderBy: [{ at: 'desc' }, { manual: 'asc' }],
      take: most,
    });
  }

  /** Notes a call by hand. */
  async calledByHand(by: string, { id, tenantId }: ScheduleRow, called: { readonly at: Date; readonly jobId: string }): Promise<void> {
    const { at, jobId } = called;
    await changeAs(this.stores.database, by, async (transaction) => {
      // The same request again gives the same job.
      const known = await transaction.scheduleRun.findFirst({ where: { scheduleId: id, jobId }, select: { at: true } });
      if (known) return;
      const data = [{ scheduleId: id, tenantId, at, manual: true, state: 'called', calledAt: at, jobId }];
      await transaction.scheduleRun.createMany({ data, skipDuplicates: true });
      await transaction.schedule.updateMany({ where: { id }, data: { lastAt: at, lastJobId: jobId } });
    });
  }

  /** Those that it is time to look at, the longest due first. */
  async dueAt(now: Date, most: number): Promise<readonly ScheduleRow[]> {
    return modelRows<ScheduleRow>(this.stores.database.$queryRaw`
      SELECT * FROM schedule WHERE look_at <= ${now} AND namespace IN ('', ${this.stores.settings.INVOQ_NAMESPACE}) ORDER BY look_at LIMIT ${most}`);
  }

  /**
   * Notes in one step that these moments are planned, and how far the plan has come.
   * @returns false where another sweeper or its owner was first; nothing was noted then
   */
  async plan(row: ScheduleRow, runs: readonly PlannedRun[], plannedUntil: Date): Promise<boolean> {
    const { id, tenantId, revision } = row;
    return this.stores.database.$transaction(async (transaction) => {
      const where = { id, revision, plannedUntil: row.plannedUntil };
      const { count } = await transaction.schedule.updateMany({ where, data: { plannedUntil } });
      if (count === 0) return false;
      const data = runs.map((run) => ({ ...run, scheduleId: id, tenantId }));
      await transaction.scheduleRun.createMany({ data, skipDuplicates: true });
      const missed = runs.filter(({ state }) => state === 'missed');
      await this.outbox.add(
        transaction,
        missed.map(({ at }) => missedEvent(row, at)),
      );
      return true;
    });
  }

  /** The runs that wait to be called, oldest first. */
  async dueRuns({ id }: Pick<ScheduleRow, 'id'>, most: number): Promise<readonly RunRow[]> {
    return this.stores.database.scheduleRun.findMany({ where: { scheduleId: id, state: 'due' }, orderBy: { at: 'asc' }, take: most });
  }

  /** Notes that a run is about to be called, and since when that has been tried. */
  async tried({ scheduleId, at, manual }: RunRow, triedAt: Date): Promise<void> {
    await this.stores.database.scheduleRun.updateMany({ where: { scheduleId, at, manual, triedAt: null }, data: { triedAt } });
  }

  /** Notes what became of a run. */
  async settle({ scheduleId: id, at, manual }: RunRow, settled: Settled, now: Date): Promise<void> {
    const where = { scheduleId: id, at, manual, state: 'due' };
    const called = settled.state === 'called' && settled.jobId !== null ? { lastAt: at, lastJobId: settled.jobId } : null;
    const data = { ...settled, ...(settled.state !== 'skipped' && { calledAt: now }) };
    await this.stores.database.$transaction(async (transaction) => {
      await transaction.scheduleRun.updateMany({ where, data });
      if (called) await transaction.schedule.updateMany({ where: { id }, data: called });
    });
  }

  /** When it is looked at again, unless it was changed or planned further meanwhile. */
  async rest(
    { id, revision, plannedUntil }: ScheduleRow,
    next: { readonly nextAt: Date | null; readonly lookAt: Date | null },
  ): Promise<void> {
    await this.stores.database.schedule.updateMany({ where: { id, revision, plannedUntil }, data: next });
  }

  /** It calls no more, until its owner changes it. @returns whether it was this process that stopped it */
  async stop({ id, revision }: Pick<ScheduleRow, 'id' | 'revision'>, reason: string, now: Date): Promise<boolean> {
    return this.stores.database.$transaction(async (transaction) => {
      const { count } = await transaction.schedule.updateMany({
        where: { id, revision, stoppedAt: null },
        data: { stoppedAt: now, stopReason: reason, nextAt: null, lookAt: null, revision: revision + 1 },
      });
      const error = { code: 'UNAUTHORIZED', message: reason };
      if (count > 0)
        await transaction.scheduleRun.updateMany({
          where: { scheduleId: id, state: 'due' },
          data: { state: 'failed', calledAt: now, error },
        });
      return count > 0;
    });
  }

  /** Those whose key has ended, or has lost the scope. */
  async ofEndedKeys(
    most: number,
  ): Promise<readonly (Pick<ScheduleRow, 'id' | 'revision' | 'tenantId' | 'owner'> & { readonly reason: string })[]> {
    return this.stores.database.$queryRaw`
      SELECT s.id, s.revision, s.tenant_id AS "tenantId", s.owner,
        CASE WHEN k.revoked_at IS NOT NULL THEN 'The API key has been revoked'
             WHEN k.expires_at <= now() THEN 'The API key has expired'
             ELSE 'The API key has lost the scope schedules' END AS reason
      FROM schedule s JOIN api_key k ON k.id = s.credential_id
      WHERE s.stopped_at IS NULL
        AND (k.revoked_at IS NOT NULL OR k.expires_at <= now() OR NOT k.scopes && ARRAY['*', 'schedules'])
      LIMIT ${most}`;
  }

  /** Forgets the runs of a schedule beyond its newest 1,000. */
  async forgetOldRuns({ id }: Pick<ScheduleRow, 'id'>): Promise<void> {
    const [oldest] = await this.stores.database.scheduleRun.findMany({
      where: { scheduleId: id },
      orderBy: { at: 'desc' },
      skip: keptRuns,
      take: 1,
      select: { at: true },
    });
    if (oldest)
      await this.stores.database.scheduleRun.deleteMany({ where: { scheduleId: id, at: { lte: oldest.at }, state: { not: 'due' } } });
  }
}

function full(): Refusal {
  const message = `Your tenant has ${mostSchedules} schedules, the most that it may have; delete one first`;
  return new Refusal('QUOTA_EXCEEDED', message, { extra: { limit: mostSchedules } });
}

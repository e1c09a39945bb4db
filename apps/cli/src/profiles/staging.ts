// Rows on their way into `profile`, by the way of an operator, beside the database. They are collected in an unlogged table of this run, in short transactions that let other queries
// run, and are moved into `profile` in one transaction. The table is not a temporary one: on the embedded database all connections
// share one session, and with it temporary tables and session locks.
import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import { CommandError } from '#lib/command-line';

import type { CheckedProfile, Destination, Difference, Finish, RepeatedUser } from './destination.js';
import { columns } from './row-schema.js';

/** A run records the time with every batch. After this long without one, another run may drop its table. */
const deadAfter = '10 minutes';

const columnList = columns.join(', ');
const dataColumns = columns.filter((name) => name !== 'user_id' && name !== 'last_updated');
const listOf = (table: string) => dataColumns.map((name) => `${table}.${name}`).join(', ');
/** A row without `last_updated` differs by its data alone, so importing a file twice changes nothing the second time. */
const differs = `((${listOf('s')}) is distinct from (${listOf('p')}) or s.last_updated <> p.last_updated)`;

export class Staging implements Destination {
  private readonly client: Client;
  private readonly tenant: string;
  private readonly startedAt = new Date();
  private readonly run: string;
  private readonly table: string;

  private constructor(client: Client, tenant: string, run: string) {
    this.client = client;
    this.tenant = tenant;
    this.run = run;
    this.table = `profiles_import.rows_${run}`;
  }

  /** Creates the table of this run, and drops those of runs that were killed. */
  static async open(client: Client, tenant: string): Promise<Staging> {
    const run = randomBytes(8).toString('hex');
    const staging = new Staging(client, tenant, run);
    await staging.transaction(async () => {
      // Held until the commit: two first runs at the same time would both find the schema missing.
      await client.query(`select pg_advisory_xact_lock(hashtext('profiles_import'))`);
      await client.query('create schema if not exists profiles_import');
      await client.query('create table if not exists profiles_import.run (id text primary key, seen_at timestamptz not null)');
      // Takes the column types from `profile`, without its constraints: `last_updated` may be missing here.
      await client.query(`create unlogged table ${staging.table} as select 0::bigint as line, ${columnList} from profile with no data`);
      await client.query(`alter table ${staging.table} add primary key (user_id)`);
      await client.query('insert into profiles_import.run values ($1, now())', [run]);
    });
    const dead = await client.query<{ id: string }>(`select id from profiles_import.run where seen_at < now() - interval '${deadAfter}'`);
    for (const { id } of dead.rows) await new Staging(client, tenant, id).drop();
    return staging;
  }

  /** Adds rows and returns those whose user is staged already, each with the line of the first. */
  async add(rows: readonly CheckedProfile[]): Promise<readonly RepeatedUser[]> {
    // As one JSON text: one parameter a value would exceed the limit of 65,535, and rows of an array must have equal lengths.
    const json = JSON.stringify(rows.map(({ line, profile }) => ({ line, ...profile })));
    return this.transaction(async () => {
      await this.recordTime();
      const { rowCount } = await this.client.query(
        `insert into ${this.table} select * from json_populate_recordset(null::${this.table}, $1::json)
         order by line on conflict (user_id) do nothing`,
        [json],
      );
      if (rowCount === rows.length) return [];
      const users = rows.map(({ profile }) => profile.user_id);
      const found = await this.client.query<{ user_id: string; line: string }>(
        `select user_id, line from ${this.table} where user_id = any($1::text[])`,
        [users],
      );
      const firstLines = new Map(found.rows.map((row) => [row.user_id, Number(row.line)]));
      return rows
        .map(({ line, profile }) => ({ line, firstLine: firstLines.get(profile.user_id) ?? line }))
        .filter(({ line, firstLine }) => line !== firstLine);
    });
  }

  async finish({ rows, isDryRun, signal, onStep }: Finish): Promise<Difference> {
    onStep('comparing');
    const difference = await this.compare();
    const staged = difference.added + difference.changed + difference.unchanged;
    if (staged !== rows) throw new CommandError(`The database kept ${staged} of ${rows} rows. Nothing was loaded.`);
    signal.throwIfAborted();
    if (isDryRun) return difference;
    onStep('moving');
    await this.move(signal);
    return difference;
  }

  private async compare(): Promise<Difference> {
    await this.recordTime();
    await this.client.query(`analyze ${this.table}`);
    const { rows } = await this.client.query<{ total: string; added: string; changed: string }>(
      `select count(*) as total,
         count(*) filter (where p.user_id is null) as added,
         count(*) filter (where p.user_id is not null and ${differs}) as changed
       from ${this.table} s left join profile p on p.tenant_id = $1 and p.user_id = s.user_id`,
      [this.tenant],
    );
    const [total, added, changed] = [Number(rows[0]?.total), Number(rows[0]?.added), Number(rows[0]?.changed)];
    return { added, changed, unchanged: total - added - changed };
  }

  /** Moves the rows into `profile`, all or none. An abort that comes before the commit undoes everything. */
  private async move(signal: AbortSignal): Promise<void> {
    const updates = columns.filter((name) => name !== 'user_id').map((name) => `${name} = excluded.${name}`);
    await this.transaction(async () => {
      // Sorted, so that two imports into one tenant lock rows in the same order.
      await this.client.query(
        `insert into profile (tenant_id, user_id, ${dataColumns.join(', ')}, last_updated)
         select $1, s.user_id, ${listOf('s')}, coalesce(s.last_updated, $2)
         from ${this.table} s left join profile p on p.tenant_id = $1 and p.user_id = s.user_id
         where p.user_id is null or ${differs}
         order by s.user_id
         on conflict (tenant_id, user_id) do update set ${updates.join(', ')}`,
        [this.tenant, this.startedAt],
      );
      signal.throwIfAborted();
    });
  }

  async drop(): Promise<void> {
    await this.client.query(`drop table if exists ${this.table}`);
    await this.client.query('delete from profiles_import.run where id = $1', [this.run]);
  }

  private async recordTime(): Promise<void> {
    const { rowCount } = await this.client.query('update profiles_import.run set seen_at = now() where id = $1', [this.run]);
    if (rowCount === 0)
      throw new CommandError('This import stood still for so long that another one dropped its rows. Nothing was loaded.');
  }

  private async transaction<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.client.query('begin');
    try {
      const result = await work();
      await this.client.query('commit');
      return result;
    } catch (error) {
      // Fails only when the connection is lost; then the server rolls back by itself.
      await this.client.query('rollback').catch(() => undefined);
      throw error;
    }
  }
}

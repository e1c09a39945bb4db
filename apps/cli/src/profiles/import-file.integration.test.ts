// Against the Postgres of DATABASE_URL, with the migrations applied. Uses a tenant of its own and removes it again.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { eventually } from '#lib/testing';

import { importFile, type ImportObserver, type ImportProgress, type ImportReport } from './import-file.js';
import { readOptions } from './options.js';
import { columns } from './row-schema.js';
import { Staging } from './staging.js';

const tenant = `import-test-${randomBytes(6).toString('hex')}`;
const folder = mkdtempSync(path.join(tmpdir(), 'profiles-import-'));
let client: Client;

interface Row {
  [field: string]: unknown;
  user_id: string;
}

beforeAll(async () => {
  const url = process.env['DATABASE_URL'];
  if (!url) throw new Error('DATABASE_URL is not set: this test needs a Postgres with the migrations of prisma/migrations applied.');
  client = new Client({ connectionString: url });
  await client.connect();
});

beforeEach(removeTenant);

afterAll(async () => {
  rmSync(folder, { recursive: true });
  if (!client) return;
  await removeTenant();
  await client.end();
});

async function removeTenant(): Promise<void> {
  await client.query(`delete from profile where tenant_id = ${client.escapeLiteral(tenant)}`);
}

function row(number: number, change: object = {}): Row {
  return {
    user_id: `user_${number}`,
    age: 30,
    gender: 'other',
    height_cm: 172.5,
    weight_kg: 70.1,
    activity_level: 'very_active',
    health_goals: ['weight_loss', 'a "quoted", {braced} \\ goal', 'NULL', '健康'],
    medical_conditions: [],
    dietary_restrictions: ['vegetarian'],
    last_updated: '2026-11-21T01:30:00.000Z',
    ...change,
  };
}

const rows = (count: number, change: object = {}) => Array.from({ length: count }, (_, number) => row(number, change));

function write(content: readonly unknown[], name = 'rows.ndjson'): string {
  const file = path.join(folder, name);
  writeFileSync(file, content.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)) + '\n').join(''));
  return file;
}

interface Run {
  report: ImportReport;
  progress: ImportProgress[];
  rejected: [number, string][];
}

interface RunOptions {
  skipBad?: boolean;
  dryRun?: boolean;
  signal?: AbortSignal;
  watch?: (step: ImportProgress) => void;
}

async function run(file: string, { skipBad = false, dryRun = false, signal, watch }: RunOptions = {}): Promise<Run> {
  const options = readOptions(file, { tenant, skipBad, dryRun }, folder);
  const progress: ImportProgress[] = [];
  const rejected: [number, string][] = [];
  const observer: ImportObserver = {
    onProgress: (step) => {
      progress.push(step);
      watch?.(step);
    },
    onRejected: (line, reasons) => rejected.push([line, reasons.join('; ')]),
  };
  const open = () => Staging.open(client, tenant);
  const report = await importFile({ options, open, observer, signal: signal ?? new AbortController().signal });
  return { report, progress, rejected };
}

async function stored(): Promise<Row[]> {
  const text = `select ${columns.join(', ')} from profile where tenant_id = ${client.escapeLiteral(tenant)} order by user_id collate "C"`;
  const found = await client.query<Row>(text);
  return found.rows.map((one) => ({ ...one, last_updated: (one['last_updated'] as Date).toISOString() }));
}

async function stagingTables(): Promise<string[]> {
  const text = `select table_name from information_schema.tables where table_schema = 'profiles_import' and table_name <> 'run'`;
  return (await client.query<{ table_name: string }>(text)).rows.map(({ table_name }) => table_name);
}

/** Those that were there may go at any time: a run also sweeps up after dead ones. Other tests on this database have tables of their own for a moment. */
async function noStagingTableBeside(before: readonly string[]): Promise<void> {
  await eventually(async () => (await stagingTables()).every((name) => before.includes(name)));
}

const byUser = (all: Row[]) => all.toSorted((a, b) => (a.user_id < b.user_id ? -1 : 1));

describe('a good file', () => {
  test('is stored as written, in batches, and leaves no table behind', async () => {
    const before = await stagingTables();
    const { report, progress } = await run(write(rows(2_500)));
    expect(report).toMatchObject({ rows: 2_500, rejected: 0, loaded: true, difference: { added: 2_500, changed: 0, unchanged: 0 } });
    expect(await stored()).toEqual(byUser(rows(2_500)));
    expect(progress.filter(({ step }) => step === 'reading').length).toBeGreaterThan(2);
    expect(progress.at(-1)?.step).toBe('moving');
    await noStagingTableBeside(before);
    expect(existsSync(report.rejectedPath)).toBe(false);
  });

  test('changes nothing the second time, and only what differs the third', async () => {
    await run(write(rows(20)));
    expect((await run(write(rows(20)))).report.difference).toEqual({ added: 0, changed: 0, unchanged: 20 });
    const third = [...rows(19), row(19, { age: 31 }), row(20)];
    expect((await run(write(third))).report.difference).toEqual({ added: 1, changed: 1, unchanged: 19 });
    expect(await stored()).toEqual(byUser(third));
  });

  test('without last_updated takes the time of the import, and keeps it when imported again', async () => {
    const file = write(rows(3, { last_updated: undefined }));
    const startedAt = Date.now();
    await run(file);
    const first = await stored();
    for (const { last_updated } of first) expect(Date.parse(String(last_updated))).toBeGreaterThanOrEqual(startedAt);
    expect((await run(file)).report.difference).toEqual({ added: 0, changed: 0, unchanged: 3 });
    expect(await stored()).toEqual(first);
  });

  test('may be CSV', async () => {
    const text = (value: unknown) => (Array.isArray(value) ? value.join(';') : String(value)).replaceAll('"', '""');
    const cells = (one: Row) => columns.map((name) => `"${text(one[name])}"`);
    const { report } = await run(write([columns.join(','), ...rows(5).map((one) => cells(one).join(','))], 'rows.csv'));
    expect(report).toMatchObject({ rows: 5, rejected: 0, loaded: true });
    expect(await stored()).toEqual(rows(5));
  });

  test('leaves the users of other tenants alone', async () => {
    const other = `${tenant}-other`;
    await run(write(rows(2)));
    await client.query(`update profile set tenant_id = ${client.escapeLiteral(other)} where tenant_id = ${client.escapeLiteral(tenant)}`);
    try {
      expect((await run(write(rows(2, { age: 99 })))).report.difference?.added).toBe(2);
      const ages = await client.query<{ age: number }>(`select age from profile where tenant_id = ${client.escapeLiteral(other)}`);
      expect(ages.rows).toEqual([{ age: 30 }, { age: 30 }]);
    } finally {
      await client.query(`delete from profile where tenant_id = ${client.escapeLiteral(other)}`);
    }
  });
});

describe('a file with bad rows', () => {
  const mixed = [row(0), '{"user_id":', row(1, { age: 0 }), row(2), row(0, { age: 99 }), row(3)];

  test('loads nothing, tells every bad row and keeps it', async () => {
    const { report, rejected } = await run(write(mixed));
    expect(report).toMatchObject({ rows: 6, rejected: 3, loaded: false, difference: null });
    expect(rejected.map(([line]) => line)).toEqual([2, 3, 5]);
    expect(rejected[2]?.[1]).toBe('user_id: the same user is on line 1 already');
    const kept = readFileSync(report.rejectedPath, 'utf8').trimEnd().split('\n');
    expect(kept.map((text) => JSON.parse(text) as { line: number; text: string })).toMatchObject([
      { line: 2, text: mixed[1] },
      { line: 3, text: JSON.stringify(mixed[2]) },
      { line: 5, text: JSON.stringify(mixed[4]) },
    ]);
    expect(await stored()).toEqual([]);
  });

  test('with --skip-bad loads the others, of equal users the first', async () => {
    const { report } = await run(write(mixed), { skipBad: true });
    expect(report).toMatchObject({ rejected: 3, loaded: true, difference: { added: 3 } });
    expect(await stored()).toEqual([row(0), row(2), row(3)]);
  });

  test('names both lines of a user who is repeated in a later batch', async () => {
    const { rejected } = await run(write([...rows(1_500), row(7), row(1_499)]));
    expect(rejected).toEqual([
      [1_501, 'user_id: the same user is on line 8 already'],
      [1_502, 'user_id: the same user is on line 1500 already'],
    ]);
  });

  test('that cannot be read to its end loads nothing, even with --skip-bad', async () => {
    const file = write([columns.join(','), '"open'], 'open.csv');
    await expect(run(file, { skipBad: true })).rejects.toThrow(/line 2/);
    expect(await stored()).toEqual([]);
  });

  test('corrected, leaves no old report', async () => {
    const { report } = await run(write(mixed));
    expect(existsSync(report.rejectedPath)).toBe(true);
    await run(write(rows(2)));
    expect(existsSync(report.rejectedPath)).toBe(false);
  });
});

test('--dry-run says what would change and changes nothing', async () => {
  await run(write(rows(2)));
  const { report } = await run(write([row(0), row(1, { age: 31 }), row(2)]), { dryRun: true });
  expect(report).toMatchObject({ loaded: false, difference: { added: 1, changed: 1, unchanged: 1 } });
  expect(await stored()).toEqual(rows(2));
});

describe('a run that ends early', () => {
  test.each(['reading', 'comparing', 'moving'] as const)('while %s leaves everything as it was', async (step) => {
    await run(write(rows(2)));
    const tables = await stagingTables();
    const interruption = new AbortController();
    const watch = (progress: ImportProgress) => {
      if (progress.step === step) interruption.abort(new Error('interrupted'));
    };
    await expect(run(write(rows(3_000, { age: 99 })), { signal: interruption.signal, watch })).rejects.toThrow('interrupted');
    expect(await stored()).toEqual(rows(2));
    await noStagingTableBeside(tables);
  });

  test('is swept up by a later one, while a run that lives is not', async () => {
    await run(write(rows(1)));
    const leave = async (id: string, silent: string) => {
      await client.query(`create table profiles_import.rows_${id} (line bigint)`);
      await client.query(`insert into profiles_import.run values ('${id}', now() - interval '${silent}')`);
    };
    const [dead, alive] = [randomBytes(8).toString('hex'), randomBytes(8).toString('hex')];
    await leave(dead, '11 minutes');
    await leave(alive, '1 minute');
    try {
      await run(write(rows(1)));
      const left = await stagingTables();
      expect(left).not.toContain(`rows_${dead}`);
      expect(left).toContain(`rows_${alive}`);
    } finally {
      await client.query(`drop table if exists profiles_import.rows_${alive}, profiles_import.rows_${dead}`);
      await client.query(`delete from profiles_import.run where id in ('${alive}', '${dead}')`);
    }
  });

  test('because another took it for dead loads nothing and says so', async () => {
    let swept: Promise<unknown> | undefined;
    const watch = () => {
      swept ??= client.query(
        'delete from profiles_import.run where id in (select id from profiles_import.run order by seen_at desc limit 1)',
      );
    };
    await expect(run(write(rows(3_000)), { watch })).rejects.toThrow(/stood still for so long/);
    await swept;
    expect(await stored()).toEqual([]);
  });
});

import { print, printError, UsageError } from '#lib/command-line';
import { defineCommand, oneOf, wholeNumber } from './command.js';
import { connect } from './connect.js';
import { objectIn } from './json-option.js';
import { limitOption, readPages } from './past/read-pages.js';
import { printTable } from './past/table.js';

const notes = `Needs a key with the scope schedules: INVOQ_API_KEY. A schedule is named by its name, or by its id.`;
const json = { type: 'boolean', help: 'as JSON' } as const;
const mostOfPage = 100;

export const listSchedules = defineCommand({
  options: { all: { type: 'boolean', help: 'of everybody in your tenant, with the scope tenant:admin' }, limit: limitOption, json },
  notes,
  async run({ values: { all, limit, json: asJson } }) {
    const { schedules } = connect(all ? 'admin' : 'user');
    const rows = await readPages(limit, async (page) => {
      const found = await schedules.list({ ...page, limit: Math.min(page.limit, mostOfPage), ...(all && { scope: 'tenant' }) });
      return { rows: found.schedules, next: found.pagination.next_cursor };
    });
    if (asJson) return print(JSON.stringify(rows, null, 2));
    printTable(
      [all ? 'id' : 'name', 'state', 'when', 'next', 'tool', 'problem'],
      rows.map((row) => [
        all ? `${row.id} ${row.owner}` : row.name,
        row.state,
        row.cron === null ? `every ${row.every_ms} ms` : `${row.cron} ${row.time_zone}`,
        row.next_at,
        row.tool,
        row.problem?.code ?? null,
      ]),
    );
  },
});

export const createSchedule = defineCommand({
  positionals: ['<name>', '<tool>'],
  options: {
    cron: { type: 'string', value: '<fields>', help: "five or six fields, such as '0 7 * * MON-FRI'" },
    every: { type: 'string', value: '<ms>', help: 'instead: each so many milliseconds' },
    zone: { type: 'string', value: '<zone>', help: 'whose clocks the cron is read by, such as Europe/Berlin (default: UTC)' },
    arguments: { type: 'string', value: '<json>', help: 'the parameters of the tool, a JSON object' },
    starts: { type: 'string', value: '<time>', help: 'ISO 8601 with an offset' },
    ends: { type: 'string', value: '<time>', help: 'ISO 8601 with an offset' },
    overlap: { type: 'string', value: '<rule>', help: 'skip (default), queue or allow, while the call before still runs' },
    missed: { type: 'string', value: '<rule>', help: 'skip, once (default) or all, for moments at which no gateway was there' },
    jitter: { type: 'string', value: '<ms>', help: 'each call comes up to so many ms later' },
    paused: { type: 'boolean', help: 'it begins when it is resumed' },
  },
  notes,
  async run({ positionals: [name = '', tool = ''], values }) {
    const { cron, zone, starts, ends, paused } = values;
    const every = wholeNumber('--every', values.every, { min: 1_000, max: 999_999_999 });
    const jitter = wholeNumber('--jitter', values.jitter, { min: 0, max: 3_600_000 });
    const overlap = oneOf('--overlap', values.overlap, ['skip', 'queue', 'allow']);
    const missed = oneOf('--missed', values.missed, ['skip', 'once', 'all']);
    const made = await connect().schedules.create({
      name,
      tool,
      arguments: objectIn('--arguments', values.arguments ?? '{}'),
      ...whenOf(cron, every),
      ...(zone !== undefined && { time_zone: zone }),
      ...(starts !== undefined && { starts_at: starts }),
      ...(ends !== undefined && { ends_at: ends }),
      ...(overlap !== undefined && { overlap }),
      ...(missed !== undefined && { missed }),
      ...(jitter !== undefined && { jitter_ms: jitter }),
      ...(paused !== undefined && { paused }),
    });
    print(`Made ${made.name}; ${made.next_at === null ? 'it is paused' : `the first call is at ${made.next_at}`}`);
  },
});

export const runSchedule = defineCommand({
  positionals: ['<name>'],
  options: {},
  notes: `Makes its call now, besides those by the plan, and prints the job.\n\n${notes}`,
  async run({ positionals: [name = ''] }) {
    const { job_id, tool_name } = await connect().schedules.run(name);
    printError(`Called ${tool_name}; follow it: invoq jobs follow ${job_id}`);
    print(job_id);
  },
});

export const pauseSchedule = defineCommand({
  positionals: ['<name>'],
  options: { admin: { type: 'boolean', help: 'one of somebody else in your tenant, by its id, with the scope tenant:admin' } },
  notes,
  async run({ positionals: [name = ''], values: { admin } }) {
    const changed = await connect(admin ? 'admin' : 'user').schedules.change(name, { paused: true });
    print(`Paused ${changed.name}`);
  },
});

export const resumeSchedule = defineCommand({
  positionals: ['<name>'],
  options: {},
  notes: `Also one that has stopped because its key has ended: it calls with the rights of this key from then on.\n\n${notes}`,
  async run({ positionals: [name = ''] }) {
    const { name: resumed, next_at } = await connect().schedules.change(name, { paused: false });
    print(`Resumed ${resumed}; ${next_at === null ? 'no moment is left' : `the next call is at ${next_at}`}`);
  },
});

export const deleteSchedule = defineCommand({
  positionals: ['<name>'],
  options: { admin: { type: 'boolean', help: 'one of somebody else in your tenant, by its id, with the scope tenant:admin' } },
  notes,
  async run({ positionals: [name = ''], values: { admin } }) {
    print(`Deleted ${(await connect(admin ? 'admin' : 'user').schedules.delete(name)).name}`);
  },
});

export const listScheduleRuns = defineCommand({
  positionals: ['<name>'],
  options: { limit: limitOption, json },
  notes: `The newest come first.\n\n${notes}`,
  async run({ positionals: [name = ''], values: { limit, json: asJson } }) {
    const { schedules } = connect();
    const rows = await readPages(limit, async (page) => {
      const { runs, pagination } = await schedules.runs(name, { ...page, limit: Math.min(page.limit, mostOfPage) });
      return { rows: runs, next: pagination.next_cursor };
    });
    if (asJson) return print(JSON.stringify(rows, null, 2));
    printTable(
      ['at', 'state', 'job', 'job state', 'error'],
      rows.map((row) => [row.at, row.manual ? `${row.state}, by hand` : row.state, row.job_id, row.job_state, row.error?.code ?? null]),
    );
  },
});

function whenOf(cron: string | undefined, every: number | undefined): { readonly cron: string } | { readonly every_ms: number } {
  if (cron !== undefined && every === undefined) return { cron };
  if (cron === undefined && every !== undefined) return { every_ms: every };
  throw new UsageError('--cron or --every is needed, and not both');
}

import type { Flow } from '#lib/client';
import { print, UsageError } from '#lib/command-line';
import { defineCommand } from './command.js';
import { connect } from './connect.js';
import { printTable } from './past/table.js';

const notes = `Needs a key with the scope tenant:admin: INVOQ_ADMIN_KEY. One with the scope admin makes flows for the calls of all tenants.`;

export const listFlows = defineCommand({
  options: { json: { type: 'boolean', help: 'as JSON' } },
  notes,
  async run({ values: { json } }) {
    const { flows } = await connect('admin').flows.list();
    if (json) return print(JSON.stringify(flows, null, 2));
    printTable(
      ['name', 'of', 'key', 'lets through', 'by', 'waiting', 'since'],
      flows.map((flow) => [flow.name, whose(flow), flow.key ?? '-', bounds(flow), flow.by, flow.waiting, flow.updated_at]),
    );
  },
});

export const listFlowLines = defineCommand({
  options: {
    flow: { type: 'string', value: '<name>', help: 'only those of one flow' },
    json: { type: 'boolean', help: 'as JSON' },
  },
  notes: `Shows the longest 100, as they are now.\n\n${notes}`,
  async run({ values: { flow, json } }) {
    const { lines, total } = await connect('admin').flows.lines({ limit: 100, ...(flow !== undefined && { flow }) });
    if (json) return print(JSON.stringify({ lines, total }, null, 2));
    printTable(
      ['line', 'flow', 'lets through', 'by', 'running', 'waiting', 'since', 'next'],
      lines.map((line) => [line.of, line.flow, bounds(line), line.by, line.running, line.waiting, line.since, line.first]),
    );
    if (total > lines.length) print(`The longest ${lines.length} of ${total}`);
  },
});

export const putFlow = defineCommand({
  positionals: ['<name>'],
  options: {
    tool: { type: 'string', value: '<name>', help: 'calls of one tool (default: of all)' },
    domain: { type: 'string', value: '<name>', help: 'calls of all tools of a domain' },
    key: { type: 'string', value: '<expression>', help: "calls with the same value wait in one line, such as 'args.account'" },
    concurrency: { type: 'string', value: '<count>', help: 'calls of a line that run at a time' },
    rate: { type: 'string', value: '<count>/<ms>', help: 'calls of a line that begin in so many ms, such as 10/1000' },
  },
  notes: `What has no place waits in the line of its key, and in nobody's way.\n\n${notes}`,
  async run({ positionals: [name = ''], values: { tool, domain, key, concurrency, rate } }) {
    const made = await connect('admin').flows.put(name, {
      ...(tool !== undefined && { tool }),
      ...(domain !== undefined && { domain }),
      ...(key !== undefined && { key }),
      ...(concurrency !== undefined && { concurrency: countIn('--concurrency', concurrency) }),
      ...(rate !== undefined && { rate: rateIn(rate) }),
    });
    print(`${made.name}: ${bounds(made)} of ${whose(made)}${made.key === null ? '' : `, for each ${made.key}`}`);
  },
});

export const deleteFlow = defineCommand({
  positionals: ['<name>'],
  options: {},
  notes: `The calls that wait in its lines go on.\n\n${notes}`,
  async run({ positionals: [name = ''] }) {
    print(`Deleted ${(await connect('admin').flows.delete(name)).name}`);
  },
});

function whose({ tool, domain }: Flow): string {
  if (tool === null && domain === null) return 'all calls';
  return ['calls of', tool !== null && `tool ${tool}`, domain !== null && `domain ${domain}`].filter((part) => part !== false).join(' ');
}

function bounds({ concurrency, rate }: Pick<Flow, 'concurrency' | 'rate'>): string {
  return [concurrency !== null && `${concurrency} at a time`, rate && `${rate.max} in ${rate.per_ms} ms`].filter(Boolean).join(', ');
}

function rateIn(text: string): { readonly max: number; readonly per_ms: number } {
  const [max = '', perMs = '', ...more] = text.split('/');
  if (more.length > 0) throw new UsageError('--rate must be <count>/<ms>, such as 10/1000');
  return { max: countIn('--rate', max), per_ms: countIn('--rate', perMs) };
}

function countIn(option: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`${option} needs whole numbers from 1`);
  return Number(text);
}

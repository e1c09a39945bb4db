import type { Pause } from '#lib/client';
import { print, UsageError } from '#lib/command-line';
import { defineCommand } from './command.js';
import { connect } from './connect.js';
import { printTable } from './past/table.js';

const notes = `Needs a key with the scope tenant:admin: INVOQ_ADMIN_KEY. One with the scope admin pauses the calls of all tenants.`;

export const listPauses = defineCommand({
  options: { json: { type: 'boolean', help: 'as JSON' } },
  notes,
  async run({ values: { json } }) {
    const { pauses } = await connect('admin').pauses.list();
    if (json) return print(JSON.stringify(pauses, null, 2));
    printTable(
      ['name', 'of', 'by', 'calls', 'waiting', 'since', 'reason'],
      pauses.map((pause) => {
        const { name, by, refuse, waiting, updated_at, reason } = pause;
        return [name, whose(pause), by, refuse ? 'refused' : 'wait', waiting, updated_at, reason];
      }),
    );
  },
});

export const pauseTool = defineCommand({
  positionals: ['[tool]'],
  options: {
    reason: { type: 'string', value: '<text>', help: 'for people who wonder why a call waits; needed' },
    domain: { type: 'string', value: '<name>', help: 'all tools of a domain, in the place of one tool' },
    tenant: { type: 'string', value: '<id>', help: "only a tenant's calls, for an operator" },
    refuse: { type: 'boolean', help: 'refuse calls that come meanwhile, in the place of letting them wait' },
    name: { type: 'string', value: '<name>', help: 'of the pause (default: that of the tool or the domain)' },
  },
  notes: `Calls that have not begun wait, whenever they came, until invoq unpause. Those that run go on.\n\n${notes}`,
  async run({ positionals: [tool], values: { reason, domain, tenant, refuse, name = tool ?? domain ?? tenant } }) {
    if (reason === undefined) throw new UsageError('--reason is needed');
    if (name === undefined) throw new UsageError('What is paused? Name a tool, --domain or --tenant');
    const made = await connect('admin').pauses.put(name, {
      reason,
      ...(tool !== undefined && { tool }),
      ...(domain !== undefined && { domain }),
      ...(tenant !== undefined && { tenant }),
      ...(refuse !== undefined && { refuse }),
    });
    print(`${made.refuse ? 'Refuses' : 'Pauses'} ${whose(made)}, until invoq unpause ${made.name}`);
  },
});

export const unpause = defineCommand({
  positionals: ['<name>'],
  options: {},
  notes: `Ends a pause: the calls that wait for it go on.\n\n${notes}`,
  async run({ positionals: [name = ''] }) {
    print(`Ended ${(await connect('admin').pauses.delete(name)).name}`);
  },
});

function whose({ tool, domain, tenant }: Pause): string {
  const parts = [tool !== null && `tool ${tool}`, domain !== null && `domain ${domain}`, tenant !== null && `tenant ${tenant}`].filter(
    (part) => part !== false,
  );
  return `calls of ${parts.join(', ')}`;
}

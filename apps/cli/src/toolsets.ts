import { print, printError, UsageError } from '#lib/command-line';
import { defineCommand, oneOf } from './command.js';
import { connect } from './connect.js';
import { printTable } from './past/table.js';

const notes = `Needs a key with the scope tenant:admin: INVOQ_ADMIN_KEY. Agents use a set at /mcp?set=<name>, or by a key that is for it.`;
const json = { type: 'boolean', help: 'as JSON' } as const;

export const listToolsets = defineCommand({
  options: { json },
  notes,
  async run({ values: { json: asJson } }) {
    const { toolsets } = await connect('admin').toolsets.list();
    if (asJson) return print(JSON.stringify(toolsets, null, 2));
    printTable(
      ['name', 'tools', 'prefix', 'offers', 'problems'],
      toolsets.map(({ name, tools, prefix, read_only, offers, problems }) => [
        name,
        `${tools.join(',')}${read_only ? ' (read only)' : ''}`,
        prefix || null,
        offers,
        problems.length,
      ]),
    );
  },
});

export const putToolset = defineCommand({
  positionals: ['<name>'],
  options: {
    tools: { type: 'string', value: '<names>', help: 'names of tools, comma-separated, with * for any characters; needed' },
    rename: { type: 'string', value: '<names>', help: 'other names, such as crm__create=new_customer, comma-separated' },
    prefix: { type: 'string', value: '<text>', help: 'what each name begins with' },
    'read-only': { type: 'boolean', help: 'only tools that change nothing' },
  },
  notes: `Makes a set of tools, or puts it in the place of another.\n\n${notes}`,
  async run({ positionals: [name = ''], values }) {
    const { tools, rename, prefix } = values;
    if (tools === undefined) throw new UsageError('--tools is needed');
    const made = await connect('admin').toolsets.put(name, {
      tools: tools.split(',').map((one) => one.trim()),
      ...(rename !== undefined && { rename: namesIn(rename) }),
      ...(prefix !== undefined && { prefix }),
      ...(values['read-only'] === true && { read_only: true }),
    });
    print(`${made.name} offers ${made.offers} ${made.offers === 1 ? 'tool' : 'tools'}, at /mcp?set=${made.name}`);
  },
});

export const previewToolset = defineCommand({
  positionals: ['<name>'],
  options: { format: { type: 'string', value: '<form>', help: 'what the agent reads: mcp (default), native, openai or anthropic' }, json },
  notes: `Shows what an agent sees of a set, and how many tokens that takes.\n\n${notes}`,
  async run({ positionals: [name = ''], values }) {
    const format = oneOf('--format', values.format, ['mcp', 'native', 'openai', 'anthropic']) ?? 'mcp';
    const seen = await connect('admin').toolsets.preview(name, { format });
    if (values.json) return print(JSON.stringify(seen, null, 2));
    printTable(
      ['name', 'tool', 'effect', 'tokens', 'of an answer'],
      seen.tools.map(({ name: offered, tool, effect, tokens, answer_tokens }) => [offered, tool, effect, tokens, answer_tokens]),
    );
    print(`${seen.tools.length} ${seen.tools.length === 1 ? 'tool' : 'tools'}, ${seen.tokens} tokens`);
    for (const { tool, name: offered, reason } of seen.problems) printError(`${tool} is not offered as ${offered}: ${reason}`);
  },
});

export const deleteToolset = defineCommand({
  positionals: ['<name>'],
  options: {},
  notes,
  async run({ positionals: [name = ''] }) {
    print(`Deleted ${(await connect('admin').toolsets.delete(name)).name}`);
  },
});

/** Throws UsageError. */
function namesIn(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').map((pair) => pair.split('=').map((one) => one.trim()));
  if (pairs.every((pair) => pair.length === 2 && pair.every((one) => one !== ''))) return Object.fromEntries(pairs);
  throw new UsageError('--rename must be pairs, such as crm__create=new_customer,crm__find=find_customer');
}

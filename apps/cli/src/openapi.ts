import { readFile } from 'node:fs/promises';
import { CommandError, print, settingOf, UsageError } from '#lib/command-line';
import { defineCommand } from './command.js';
import { connect } from './connect.js';
import { connectionOf, connectionOptions } from './connection-options.js';

const patternHelp = 'a name, "tag:NAME" or "GET /path", with * for any characters; again for each';

export const addOpenApi = defineCommand({
  positionals: ['<name>', '<url or file>'],
  options: {
    'base-url': { type: 'string', value: '<url>', help: 'where the service answers (default: where the document says)' },
    include: { type: 'string', multiple: true, value: '<pattern>', help: `only these operations: ${patternHelp}` },
    exclude: { type: 'string', multiple: true, value: '<pattern>', help: 'not these operations, in the same form' },
    ...connectionOptions,
    header: { type: 'string', multiple: true, value: '<name=VARIABLE>', help: 'sent with each call, from a variable of the environment' },
    credential: {
      type: 'string',
      multiple: true,
      value: '<scheme=VARIABLE>',
      help: 'for a security scheme of the document, from a variable of the environment',
    },
    json: { type: 'boolean', help: 'as JSON' },
  },
  notes:
    'Makes a tool of each operation of an OpenAPI document (3.0 or 3.1), for your tenant. Again, it approves the document as it is now.\n\nNeeds a key with the scopes tenant:admin and tools:write: INVOQ_ADMIN_KEY.',
  async run({ positionals: [name = '', place = ''], values }) {
    const { include, exclude, json } = values;
    const base = values['base-url'];
    const [headers, credentials] = [secretsOf('--header', values.header), secretsOf('--credential', values.credential)];
    const server = await connect('admin').outsideServers.register({
      name,
      kind: 'openapi',
      ...(/^https?:\/\//.test(place) ? { url: place } : { document: await textOf(place) }),
      ...(base !== undefined && { base_url: base }),
      ...(include && { include }),
      ...(exclude && { exclude }),
      ...(headers && { headers }),
      ...(credentials && { credentials }),
      ...connectionOf(values),
    });
    if (json) return print(JSON.stringify(server, null, 2));
    const left = server.tools.filter(({ state }) => state === 'rejected');
    print(
      `${server.name}: ${server.tools.length - left.length} tools of ${server.operations ?? 0} operations, at ${server.base_url ?? ''}`,
    );
    for (const tool of left) print(`left out: ${tool.name}: ${tool.reason ?? ''}`);
  },
});

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A secret on a command line is seen by every user of the machine. */
export function secretsOf(option: string, given: readonly string[] | undefined): Record<string, string> | null {
  if (!given) return null;
  const pairs = given.map((one): [string, string] => {
    const [, name, variable = ''] = /^(.+?)=(\w+)$/.exec(one) ?? [];
    const value = settingOf(variable);
    if (name === undefined) throw new UsageError(`${option} is a name and a variable, such as api_key=PETS_KEY, not '${one}'`);
    if (value === undefined) throw new UsageError(`${option} ${name}: the variable ${variable} is not set`);
    return [name, value];
  });
  return Object.fromEntries(pairs);
}

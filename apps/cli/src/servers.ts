import type { NewOutsideServer } from '#lib/client';
import { print, UsageError } from '#lib/command-line';
import { appPermissions, relayedAsks } from '#lib/contracts';
import { defineCommand, oneOf } from './command.js';
import { connect } from './connect.js';
import { connectionOf, connectionOptions } from './connection-options.js';
import { secretsOf } from './openapi.js';
import { databaseOf } from './query-file.js';
import { printTable } from './past/table.js';

const notes = 'Needs a key with the scopes tenant:admin and tools:write: INVOQ_ADMIN_KEY.';
const json = { type: 'boolean', help: 'as JSON' } as const;

export const addServer = defineCommand({
  positionals: ['<name>', '[url]'],
  options: {
    kind: { type: 'string', value: '<kind>', help: 'mcp, rest or sql (default: mcp or rest, found out)' },
    file: { type: 'string', value: '<file>', help: 'of the kind sql: its queries, in YAML or JSON' },
    database: { type: 'string', value: '<VARIABLE>', help: 'of the kind sql: the variable of the environment with its address and login' },
    ...connectionOptions,
    'may-ask': { type: 'string', value: '<list>', help: "of its callers' clients: sampling, roots (default: nothing but forms)" },
    'app-domains': { type: 'string', value: '<list>', help: 'where pages of its tools may load from, comma-separated (default: nowhere)' },
    'app-permissions': {
      type: 'string',
      value: '<list>',
      help: 'what pages of its tools may use: camera, microphone, geolocation, clipboardWrite',
    },
    header: { type: 'string', multiple: true, value: '<name=VARIABLE>', help: 'sent with each call, from a variable of the environment' },
    json,
  },
  notes: `Offers the tools of an outside server, or queries of a Postgres database, to your tenant. Again, it approves them as they are now.\n\n${notes}`,
  async run({ positionals: [name = '', url], values }) {
    const kind = oneOf('--kind', values.kind, ['mcp', 'rest', 'sql'] as const);
    if (kind !== 'sql' && url === undefined) throw new UsageError('give the address of the server');
    const headers = secretsOf('--header', values.header);
    const server = await connect('admin').outsideServers.register({
      name,
      ...(url !== undefined && { url }),
      ...(kind !== undefined && { kind }),
      ...(await databaseOf(kind, url, values)),
      ...(headers && { headers }),
      ...connectionOf(values),
      ...mayAskOf(values['may-ask']),
      ...appsOf(values['app-domains'], values['app-permissions']),
    });
    if (values.json) return print(JSON.stringify(server, null, 2));
    const left = server.tools.filter(({ state }) => state === 'rejected');
    const account = server.connection ? `, with accounts of callers at ${server.connection.provider}` : '';
    print(`${server.name}: ${server.tools.length - left.length} tools, approval ${server.approval}${account}`);
    for (const tool of left) print(`left out: ${tool.name}: ${tool.reason ?? ''}`);
    for (const warning of server.registered?.warnings ?? []) print(`warning: ${warning}`);
  },
});

export const listServers = defineCommand({
  options: { json },
  notes,
  async run({ values }) {
    const servers = await connect('admin').outsideServers.list();
    if (values.json) return print(JSON.stringify(servers, null, 2));
    printTable(
      ['name', 'kind', 'approval', 'tools', 'connection', 'may ask', 'url'],
      servers.map(({ name, kind, approval, tools, connection, may_ask, url, base_url }) => [
        name,
        kind,
        String(approval),
        String(tools.filter(({ state }) => state === 'served').length),
        connection?.provider ?? null,
        may_ask?.join(', ') || null,
        base_url ?? url ?? null,
      ]),
    );
  },
});

export const removeServer = defineCommand({
  positionals: ['<name>'],
  options: {},
  notes: `Removes it with its tools.\n\n${notes}`,
  async run({ positionals: [name = ''] }) {
    print(`Removed ${(await connect('admin').outsideServers.remove(name)).name}`);
  },
});

/** Throws a UsageError for what no server can be allowed. */
function mayAskOf(given: string | undefined): Pick<NewOutsideServer, 'may_ask'> {
  if (given === undefined) return {};
  return { may_ask: partsOf(given).flatMap((one) => oneOf('--may-ask', one, relayedAsks) ?? []) };
}

/** Throws a UsageError for what no page can be given. The gateway checks the hosts. */
function appsOf(domains: string | undefined, permissions: string | undefined): Pick<NewOutsideServer, 'apps'> {
  if (domains === undefined && permissions === undefined) return {};
  return {
    apps: {
      ...(domains !== undefined && { domains: partsOf(domains) }),
      ...(permissions !== undefined && {
        permissions: partsOf(permissions).flatMap((one) => oneOf('--app-permissions', one, appPermissions) ?? []),
      }),
    },
  };
}

function partsOf(list: string): readonly string[] {
  return list.split(',').map((one) => one.trim());
}

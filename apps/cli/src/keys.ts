import { print, printError, UsageError } from '#lib/command-line';
import { scopes, tiers } from '#lib/contracts';
import { defineCommand, oneOf } from './command.js';
import { connect } from './connect.js';

const notes = `Needs the key of an administrator: INVOQ_ADMIN_KEY, else INVOQ_API_KEY. With the scope tenant:admin it is for its own tenant,
with admin for every one.`;

export const listKeys = defineCommand({
  options: { json: { type: 'boolean', help: 'the keys as JSON' } },
  notes,
  async run({ values: { json } }) {
    const keys = await connect('admin').apiKeys();
    if (json) return print(JSON.stringify(keys, null, 2));
    for (const { id, tenant_id, user_id, tier, revoked_at, expires_at, scopes: granted } of keys) {
      const state = revoked_at ? 'revoked' : isPast(expires_at) ? 'expired' : 'active';
      print(`${id}  ${state.padEnd(7)}  ${tenant_id}/${user_id ?? '*'}  ${tier}  ${granted.join(' ')}`);
    }
  },
});

export const createKey = defineCommand({
  options: {
    tenant: { type: 'string', value: '<name>', help: 'whose key it is; needed' },
    user: { type: 'string', value: '<id>', help: 'the user it speaks for (default: the tenant itself)' },
    tier: { type: 'string', value: '<tier>', help: `one of ${tiers.join(', ')} (default: free)` },
    scope: { type: 'string', value: '<scope>', multiple: true, help: 'what it may do; once for each scope; needed' },
    toolset: { type: 'string', value: '<name>', help: 'the set of tools that is all it sees and calls (default: all tools)' },
    tool: {
      type: 'string',
      value: '<name>',
      multiple: true,
      help: 'the only tools it sees and calls; * stands for any characters; once for each (default: all)',
    },
    serves: {
      type: 'string',
      value: '<domain>',
      multiple: true,
      help: 'with the scope tools:serve, the only domains its workers serve; once for each (default: any)',
    },
    'approves-tools': { type: 'boolean', help: 'with the scope tools:serve, its tools need no approval of an administrator' },
    expires: { type: 'string', value: '<time>', help: 'ISO 8601 with an offset (default: never)' },
  },
  notes: `The key alone goes to standard output. It cannot be shown again. It has no more than the key that makes it.\nScopes: ${Object.keys(scopes).join(' ')}\n\n${notes}`,
  async run({ values: { tenant, user, tier, scope = [], tool, toolset, serves, 'approves-tools': approves, expires } }) {
    if (!tenant) throw new UsageError('--tenant is missing');
    if (scope.length === 0) throw new UsageError('--scope is missing');
    const { id, key } = await connect('admin').createApiKey({
      tenant_id: tenant,
      tier: oneOf('--tier', tier, tiers) ?? 'free',
      scopes: scope,
      ...(user !== undefined && { user_id: user }),
      ...(tool !== undefined && { tools: tool }),
      ...(toolset !== undefined && { toolset }),
      ...(serves !== undefined && { serves }),
      ...(approves !== undefined && { approves_tools: approves }),
      ...(expires !== undefined && { expires_at: expires }),
    });
    printError(`Created the key ${id}`);
    print(key);
  },
});

export const revokeKey = defineCommand({
  positionals: ['<id>'],
  options: {},
  notes,
  async run({ positionals: [id = ''] }) {
    await connect('admin').revokeApiKey(id);
    print(`Revoked ${id}`);
  },
});

function isPast(time: string | null): boolean {
  return time !== null && Date.parse(time) <= Date.now();
}

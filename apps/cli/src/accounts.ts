import type { NewProvider } from '#lib/client';
import { print, UsageError } from '#lib/command-line';
import { defineCommand, oneOf } from './command.js';
import { connect } from './connect.js';
import { printTable } from './past/table.js';

const notes = `Needs a key with the scope tenant:admin: INVOQ_ADMIN_KEY.`;
const json = { type: 'boolean', help: 'as JSON' } as const;
const presets = ['github', 'google', 'linear', 'microsoft', 'notion', 'slack'] as const;

export const listProviders = defineCommand({
  options: { json },
  notes,
  async run({ values: { json: asJson } }) {
    const { providers } = await connect('admin').providers.list();
    if (asJson) return print(JSON.stringify(providers, null, 2));
    printTable(
      ['name', 'kind', 'issuer', 'client', 'connections'],
      providers.map(({ name, kind, issuer, token_endpoint, client_id, connections }) => [
        name,
        kind,
        issuer ?? token_endpoint,
        client_id,
        String(connections),
      ]),
    );
  },
});

export const putProvider = defineCommand({
  positionals: ['<name>'],
  options: {
    preset: { type: 'string', value: '<name>', help: presets.join(', ') },
    issuer: { type: 'string', value: '<url>', help: 'of an OAuth 2 server, which is discovered' },
    resource: { type: 'string', value: '<url>', help: 'what the tokens are for' },
    'client-id': { type: 'string', value: '<id>', help: 'of the client that you registered there (default: one is registered)' },
    'client-secret': { type: 'string', value: '<secret>', help: 'of that client' },
    scopes: { type: 'string', value: '<list>', help: 'asked for besides those of tools, comma-separated' },
    'more-scopes': { type: 'string', value: '<list>', help: 'for which servers may ask in a call, comma-separated, with *' },
    'return-origins': { type: 'string', value: '<list>', help: 'where users may go back to, comma-separated' },
    'api-key': { type: 'boolean', help: 'users paste a key instead' },
  },
  notes: `Sets up a provider of accounts, or puts it in the place of another.\n\n${notes}`,
  async run({ positionals: [name = ''], values }) {
    const preset = oneOf('--preset', values.preset, presets);
    const { issuer, resource, scopes } = values;
    const [id, secret, origins] = [values['client-id'], values['client-secret'], values['return-origins']];
    if (!values['api-key'] && preset === undefined && issuer === undefined && resource === undefined)
      throw new UsageError('one of --preset, --issuer, --resource and --api-key is needed');
    const body: NewProvider = {
      ...(values['api-key'] && { api_key: true as const }),
      ...(preset !== undefined && { preset }),
      ...(issuer !== undefined && { issuer }),
      ...(resource !== undefined && { resource }),
      ...(id !== undefined && { client_id: id }),
      ...(secret !== undefined && { client_secret: secret }),
      ...(scopes !== undefined && { scopes: listIn(scopes) }),
      ...(values['more-scopes'] !== undefined && { more_scopes: listIn(values['more-scopes']) }),
      ...(origins !== undefined && { return_origins: listIn(origins) }),
    };
    const made = await connect('admin').providers.put(name, body);
    print(
      made.redirect_uri === null ? `${made.name}: users paste a key` : `${made.name}: register the redirect URI ${made.redirect_uri} there`,
    );
  },
});

export const deleteProvider = defineCommand({
  positionals: ['<name>'],
  options: {},
  notes: `Deletes it with the accounts that are connected there.\n\n${notes}`,
  async run({ positionals: [name = ''] }) {
    print(`Deleted ${(await connect('admin').providers.delete(name)).name}`);
  },
});

export const listConnections = defineCommand({
  options: { tenant: { type: 'boolean', help: 'of your whole tenant, with a key that has tenant:admin' }, json },
  async run({ values: { tenant, json: asJson } }) {
    const { connections } = await connect(tenant ? 'admin' : 'user').connections.list(tenant ? { scope: 'tenant' } : {});
    if (asJson) return print(JSON.stringify(connections, null, 2));
    printTable(
      ['id', 'provider', 'user', 'state', 'scopes', 'reason'],
      connections.map(({ id, provider, user, state, scopes, reason }) => [id, provider, user, state, scopes.join(' '), reason]),
    );
  },
});

export const createConnection = defineCommand({
  positionals: ['<provider>'],
  options: { 'return-to': { type: 'string', value: '<url>', help: 'where your browser goes afterwards' } },
  notes: 'Prints an address for your browser: it connects your account, once, within ten minutes.',
  async run({ positionals: [provider = ''], values }) {
    const returnTo = values['return-to'];
    const { url } = await connect().connections.create({ provider, ...(returnTo !== undefined && { return_to: returnTo }) });
    print(url);
  },
});

export const deleteConnection = defineCommand({
  positionals: ['<id>'],
  options: {},
  async run({ positionals: [id = ''] }) {
    const { provider, revoked } = await connect().connections.delete(id);
    const told =
      revoked === null ? 'the provider revokes no tokens' : revoked ? 'its tokens are revoked' : 'its tokens could not be revoked';
    print(`Deleted the account at ${provider}: ${told}`);
  },
});

function listIn(text: string): readonly string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);
}

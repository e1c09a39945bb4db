// Every right that a key may lack, lacking: scopes at tools, and what a key may give to another.
import { hasScope, scopeNames, tiers, tools, type Scope, type ToolContract } from '#lib/contracts';
import { must } from '#lib/testing';
import { casesIn } from '../case.js';
import { refused, served } from '../expect.js';
import { describe } from '../world/answer.js';
import { claimsOf } from '../world/credentials.js';
import { announce, echoContract } from './echo-contract.js';

const scopesOf = ({ effect, scopes = [] }: ToolContract): readonly Scope[] => [effect === 'read' ? 'tools:read' : 'tools:write', ...scopes];
const callable = tools.filter((tool) => !tool.internal && !tool.deprecated);
const wish = { tier: 'free', scopes: ['tools:read'] };

export const rightCases = casesIn('API5', {
  'Each tool is refused to a key with every scope but one that the tool needs, at every door': [
    'S11',
    async ({ clientWithout }) => {
      for (const tool of callable)
        for (const scope of scopesOf(tool)) {
          const client = await clientWithout(scope);
          const [{ input: json }] = tool.examples;
          const name = `${tool.name}@${tool.version}`;
          const answers = [
            await client.send(`POST /tools/${name}`, { json }),
            await client.send('POST /tools/call', { json: { name, arguments: json } }),
            await client.send('POST /tools/batch', { json: { calls: [{ id: 1, name, arguments: json }] } }),
          ];
          for (const answer of answers)
            must(
              answer.text.includes('PERMISSION_DENIED') || answer.text.includes('TOOL_DEPRECATED'),
              `${tool.name} without ${scope}: ${describe(answer)}`,
            );
        }
    },
  ],
  'A key makes no key with a scope, a tier, a tenant or a domain to serve that it has not': [
    'S11, audit F8',
    async (world) => {
      const { system, strangerTenant, newClient } = world;
      const json = { ...wish, tenant_id: system.tenant.id };
      for (const scope of scopeNames) {
        const others = scopeNames.filter((one) => one !== scope && one !== '*' && one !== 'admin');
        // What a wider scope holds may be given.
        if (scope === '*' || hasScope({ scopes: others }, scope)) continue;
        const maker = await newClient({ userId: null, tier: 'vip', scopes: others });
        refused(await maker.send('POST /keys', { json: { ...json, scopes: [scope] } }), 403);
      }
      const operator = await newClient({ userId: null, tier: 'pro', scopes: ['admin', 'tools:read', 'tools:serve'], serves: ['sales'] });
      refused(await operator.send('POST /keys', { json: { ...json, scopes: ['*'] } }), 403);
      refused(await operator.send('POST /keys', { json: { ...json, tier: tiers.at(-1) } }), 403);
      for (const serves of [undefined, ['billing'], ['sales', 'billing']])
        refused(await operator.send('POST /keys', { json: { ...json, scopes: ['tools:serve'], ...(serves && { serves }) } }), 403);
      served(await operator.send('POST /keys', { json: { ...json, scopes: ['tools:serve'], serves: ['sales'] } }));
      // A tenant that no other case looks at: its audit names the operator, as it should.
      served(await operator.send('POST /keys', { json: { ...json, tenant_id: `${strangerTenant.id}_keys` } }));
    },
  ],
  'A key for some tools alone makes no key and ends none, whatever scopes it has': [
    'S11, audit F8',
    async ({ newClient, system, objects }) => {
      for (const scopes of [['*'], ['admin', 'tools:read'], ['tenant:admin', 'tools:read']]) {
        const narrow = await newClient({ userId: null, tier: 'vip', scopes, tools: ['calc_metrics'] });
        refused(await narrow.send('POST /keys', { json: { ...wish, tenant_id: system.tenant.id } }), 403);
        refused(await narrow.send(`DELETE /keys/${objects.keyId}`), 403);
      }
    },
  ],
  "An operator's key is not ended by the administrator of its tenant": [
    'S11, audit F8',
    async ({ admin, tenantAdmin, system }) => {
      const made = served(await admin.send('POST /keys', { json: { tenant_id: system.tenant.id, tier: 'free', scopes: ['admin'] } }));
      const id = /"id":"(\w+)"/.exec(made.text)?.[1] ?? '';
      refused(await tenantAdmin.send(`DELETE /keys/${id}`), 403);
      must(served(await admin.send(`GET /keys/${id}`)).text.includes('"revoked_at":null'), 'it was revoked');
    },
  ],
  'A token gets no scope of an operator, whatever its issuer writes into it': [
    'S03, S11, audit F8',
    async (world) => {
      for (const scope of ['admin', '*', 'admin * tools:read']) {
        const token = await world.issuer.sign(claimsOf(world, { scope }));
        const client = world.stranger.with({ authorization: `Bearer ${token}` });
        for (const line of ['GET /metrics', 'GET /admin/workers', 'GET /keys', 'GET /history?scope=all'])
          refused(await client.send(line), 403);
      }
    },
  ],
  'A server for all tenants, or a command of the worker, is registered by operators alone': [
    'S11, S69, audit F2',
    async ({ tenantAdmin, hostile }) => {
      const { command } = hostile.take();
      for (const json of [
        { name: 'everybodys', url: 'https://tools.example/mcp', tenants: '*' },
        { name: 'commands', stdio: command },
        { name: 'commands', stdio: command, tenants: '*' },
      ])
        for (const line of ['POST /mcp/servers', 'POST /tools/register_mcp_server']) refused(await tenantAdmin.send(line, { json }), 403);
    },
  ],
  'A worker whose key may not approve serves nothing that nobody has approved': [
    'S11, audit F4',
    async (world) => {
      const { system, victim } = world;
      const name = `unapproved_${process.pid}`;
      const key = await system.tenant.key({ userId: null, scopes: ['tools:serve'] });
      using _ = await announce({ url: system.gateway.url, key, name });
      for (const line of [`GET /tools/${name}`, `POST /tools/${name}`])
        refused(await victim.send(line, { ...(line.startsWith('POST') && { json: {} }) }), 404);
    },
  ],
  'A worker serves no domain that its key does not name': [
    'S11',
    async ({ newClient }) => {
      const client = await newClient({ userId: null, scopes: ['tools:serve'], approvesTools: true, serves: ['sales'] });
      const json = { protocol: 1, domain: 'billing', concurrency: 1, tools: [echoContract('of_billing')] };
      refused(await client.send('POST /workers', { json }), 403);
    },
  ],
});

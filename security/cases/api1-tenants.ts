// Two customers of one installation, each with an administrator of its own: neither lists, uses, changes nor counts what the other has.
import { z } from 'zod';
import { eventually, must } from '#lib/testing';
import { casesIn } from '../case.js';
import { as, mustNotHold, notFound, refused, served } from '../expect.js';
import { describe } from '../world/answer.js';
import type { Client } from '../world/client.js';
import type { World } from '../world/world.js';
import { announce } from './echo-contract.js';

const victims = 'victims__look';
const listed = z.looseObject({ servers: z.array(z.looseObject({ name: z.string(), tenant_id: z.string().nullable() })) });
const mcp = { headers: { accept: 'application/json, text/event-stream' } };

/** Every door at which a tool is listed or called. */
async function askEverywhere(client: Client, tool: string, json: object): Promise<readonly string[]> {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: json } };
  const answers = await Promise.all([
    client.send('GET /tools'),
    client.send('GET /tools?format=mcp'),
    client.send(`GET /tools/${tool}`),
    client.send('GET /openapi.json'),
    client.send('POST /tools/list', { json: {} }),
    client.send('POST /mcp', { ...mcp, json: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} } }),
    client.send(`POST /tools/${tool}`, { json }),
    client.send(`POST /tools/${tool}@1`, { json }),
    client.send(`POST /tools/${tool}/sse`, { json }),
    client.send(`GET /tools/${tool}/sse?word=a`),
    client.send('POST /tools/call', { json: { name: tool, arguments: json } }),
    client.send('POST /tools/batch', { json: { calls: [{ id: 1, name: tool, arguments: json }] } }),
    client.send('POST /mcp', { ...mcp, json: call }),
  ]);
  return answers.map(describe);
}

/** Gateways read within 15 s that the server was given to the victim's tenant. */
export async function known({ victim, stranger }: World): Promise<void> {
  const seen = async (client: Client) => (await client.send(`GET /tools/${victims}`)).status;
  await eventually(async () => (await seen(victim)) === 200 && (await seen(stranger)) === 404, {
    withinMs: 30_000,
    what: "that the victim's outside server is the victim's alone",
  });
}

export const tenantCases = casesIn('API1', {
  'A tool of an outside server of one tenant is no tool of another, at any door': [
    'S14, S69, audit F2',
    async (world) => {
      await known(world);
      const { stranger, strangerAdmin, agent } = world;
      for (const client of [stranger, strangerAdmin, agent])
        for (const answer of await askEverywhere(client, victims, { word: 'a' })) {
          mustNotHold(answer, 'Look something up.', 'another tenant');
          mustNotHold(answer, '"success":true,"status":"success"', 'a call of another tenant');
        }
      refused(await stranger.send(`POST /tools/${victims}`, { json: { word: 'a' } }), 404);
    },
  ],
  'An outside server of one tenant is neither listed nor removed by the administrator of another': [
    'S14, S93, audit F2',
    async (world) => {
      const { strangerAdmin, tenantAdmin, admin, system } = world;
      await known(world);
      for (const { tenant_id } of as(served(await strangerAdmin.send('GET /mcp/servers')), listed).servers)
        must(tenant_id === world.strangerTenant.id, `a server of ${tenant_id} is listed`);
      for (const name of ['victims', `${system.tenant.id}%2Fvictims`, `..%2F${system.tenant.id}%2Fvictims`])
        for (const method of ['GET', 'DELETE']) notFound(await strangerAdmin.send(`${method} /mcp/servers/${name}`));
      for (const tenant of [system.tenant.id, '*', '%00', ''])
        for (const method of ['GET', 'DELETE'])
          refused(await strangerAdmin.send(`${method} /mcp/servers/victims?tenant=${tenant}`), [400, 403, 404]);
      served(await tenantAdmin.send('GET /mcp/servers/victims'));
      served(await admin.send(`GET /mcp/servers/victims?tenant=${system.tenant.id}`));
    },
  ],
  'A tool that workers of one tenant serve is neither listed, approved nor removed by another': [
    'S14',
    async (world) => {
      const { strangerAdmin, tenantAdmin, system } = world;
      const name = `of_tenant_${process.pid}`;
      const key = await system.tenant.key({ userId: null, scopes: ['tools:serve'] });
      using _ = await announce({ url: system.gateway.url, key, name });
      const path = `/served-tools/${name}/1.0.0`;
      mustNotHold(served(await strangerAdmin.send('GET /served-tools')).text, name, 'the list of another tenant');
      refused(await strangerAdmin.send(`GET /served-tools?tenant_id=${system.tenant.id}`), 403);
      const version = { name, version: '1.0.0', fingerprint: '0'.repeat(64) };
      const approval = (tenant_id: string) => strangerAdmin.send('POST /served-tools/approvals', { json: { ...version, tenant_id } });
      refused(await approval(system.tenant.id), 403);
      notFound(await approval(world.strangerTenant.id));
      refused(await strangerAdmin.send(`DELETE ${path}?tenant_id=${system.tenant.id}`), 403);
      notFound(await strangerAdmin.send(`DELETE ${path}?tenant_id=${world.strangerTenant.id}`));
      must(served(await tenantAdmin.send('GET /served-tools')).text.includes(name), 'its own administrator does not see it');
    },
  ],
  'Keys of one tenant are neither listed, made nor ended by the administrator of another': [
    'S11, S14, audit F8',
    async ({ strangerAdmin, tenantAdmin, objects, system }) => {
      mustNotHold(served(await strangerAdmin.send('GET /keys')).text, system.tenant.id, 'the list of keys');
      refused(await strangerAdmin.send(`GET /keys?tenant_id=${system.tenant.id}`), 403);
      for (const method of ['GET', 'DELETE']) notFound(await strangerAdmin.send(`${method} /keys/${objects.keyId}`));
      const json = { tenant_id: system.tenant.id, user_id: 'user_001', tier: 'free', scopes: ['tools:read'] };
      refused(await strangerAdmin.send('POST /keys', { json }), 403);
      const own = as(served(await tenantAdmin.send(`GET /keys/${objects.keyId}`)), z.looseObject({ revoked_at: z.string().nullable() }));
      must(own.revoked_at === null, 'the key was revoked');
    },
  ],
  'The audit, history, sums and errors of one tenant are told to no administrator of another': [
    'S14, audit F8',
    async ({ strangerAdmin, system }) => {
      for (const path of [
        '/audit',
        '/errors',
        '/history',
        '/usage/calls?by=tenant,user,tool',
        '/jobs?scope=tenant',
        '/history?scope=tenant',
      ])
        mustNotHold(served(await strangerAdmin.send(`GET ${path}`)).text, system.tenant.id, path);
      for (const path of ['/audit', '/errors', '/history', '/usage/calls', '/jobs', '/jobs/feed'])
        for (const query of ['?scope=all', `?scope=all&tenant=${system.tenant.id}`])
          refused(await strangerAdmin.send(`GET ${path}${query}`), [400, 403]);
      refused(await strangerAdmin.send(`GET /history?scope=tenant&tenant=${system.tenant.id}`), 400);
    },
  ],
  'What one tenant does is counted for no other': [
    'S14',
    async (world) => {
      const counting = await world.newClient({ tenant: world.strangerTenant, userId: 'counts_nothing' });
      const counts = async () =>
        Promise.all(
          ['/usage', '/usage/calls', '/history', '/jobs', '/chat/v5/quota'].map(async (path) =>
            countsIn(await counting.send(`GET ${path}`)),
          ),
        );
      const before = await counts();
      const json = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };
      for (let call = 0; call < 5; call++) served(await world.victim.send('POST /tools/calc_metrics?enable_cache=false', { json }));
      must(JSON.stringify(await counts()) === JSON.stringify(before), 'the counts of another tenant have changed');
    },
  ],
  'A collection of documents of one tenant is neither searched, read nor listed by another': [
    'S14',
    async ({ tenantAdmin, stranger, strangerAdmin }) => {
      const word = `wombat${process.pid}`;
      const documents = [{ path: 'secret.md', content: `# ${word}\n\nThe ${word} sleeps.` }];
      served(await tenantAdmin.send('POST /tools/import_documents', { json: { collection: word, documents } }));
      for (const client of [stranger, strangerAdmin]) {
        mustNotHold(served(await client.send('GET /knowledge/collections')).text, word, 'the list of collections');
        for (const tool of ['search_knowledge', 'search_documents'])
          mustNotHold((await client.send(`POST /tools/${tool}`, { json: { query: 'sleeps', collection: word } })).text, 'sleeps.', tool);
        mustNotHold(
          (await client.send('POST /tools/get_document', { json: { collection: word, path: 'secret.md' } })).text,
          'sleeps.',
          'a document',
        );
      }
    },
  ],
});

/** What an answer says without the ids and times that are of this one request. */
function countsIn({ text }: { readonly text: string }): string {
  return text.replaceAll(/"(trace_id|timestamp|resets_at|request_id)":"[^"]*"/g, '');
}

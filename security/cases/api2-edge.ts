// What a gateway has answered it answers again at its edge, word for word, and lists that follow from a catalog are made once. Neither is told
// to anybody else, nor after it has changed.
import { z } from 'zod';
import { eventually, must, RawWorker } from '#lib/testing';
import { casesIn } from '../case.js';
import { as, mustNotHold, refused, served } from '../expect.js';
import type { Client } from '../world/client.js';
import { makeKey } from '../world/credentials.js';
import { contractOf, newName } from '../world/served-tools.js';
import type { World } from '../world/world.js';

const words = (age: number) => ({ json: { height_cm: 175, weight_kg: 72.0625, age, gender: 'male', activity_level: 'moderate' } });
const ask = async (client: Client, age = 30, headers = {}) => client.send('POST /tools/calc_metrics', { ...words(age), headers });
const answer = z.looseObject({ data: z.looseObject({ bmr: z.number() }) });
/** How often words come again: by then their answer is given at the edge. That is so for tenants without rules, such as new ones. */
const times = 20;

async function again(...clients: readonly Client[]): Promise<void> {
  for (let time = 0; time < times; time++) for (const client of clients) served(await ask(client));
}

/** A tool that a tenant of its own serves, and one who sees it. */
async function serving({ newTenant, newClient, system }: World) {
  const [tenant, name] = [await newTenant(), newName()];
  const key = await tenant.key({ userId: null, scopes: ['tools:serve'], approvesTools: true });
  const worker = await RawWorker.connect({ url: system.gateway.url, key, tools: [contractOf(name)] });
  return { name, worker, client: await newClient({ tenant }) };
}

const mcp = { headers: { accept: 'application/json, text/event-stream' } };
const lists = {
  'GET /openapi.json': (client: Client) => client.send('GET /openapi.json'),
  'GET /tools': (client: Client) => client.send('GET /tools?format=mcp'),
  'tools/list of MCP': (client: Client) =>
    client.send('POST /mcp', { ...mcp, json: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} } }),
} as const;

export const edgeCases = [
  ...casesIn('API2', {
    'A request in the words of one that was answered ends with its key': [
      'S02, S08',
      async (world) => {
        const { id } = await world.newTenant();
        const wish = { tenant_id: id, user_id: 'user_001' };
        const [ended, other] = [await makeKey(world, wish), await makeKey(world, wish)];
        await again(ended.client, other.client);
        let isRevoked = false;
        const revoked = ended.revoke().finally(() => (isRevoked = true));
        // The other key of the user keeps the answer fresh, and the one that ends may be served for a moment more.
        while (!isRevoked) {
          served(await ask(other.client));
          await ask(ended.client);
        }
        await revoked;
        for (let time = 0; time < times; time++) {
          served(await ask(other.client));
          refused(await ask(ended.client), 401);
        }
      },
    ],
    'A request in the words of one that was answered has the answer of its body': [
      'S47',
      async ({ newClient, newTenant }) => {
        const client = await newClient({ tenant: await newTenant() });
        for (let time = 0; time < times; time++) {
          const [young, old] = [as(served(await ask(client, 30)), answer), as(served(await ask(client, 60)), answer)];
          must(young.data.bmr > old.data.bmr, 'one body was answered as another');
        }
      },
    ],
    'A request in the words of one that was answered is refused with a header that is not allowed': [
      'S11',
      async ({ newClient, newTenant }) => {
        const client = await newClient({ tenant: await newTenant() });
        await again(client);
        for (let time = 0; time < times; time++) {
          served(await ask(client));
          refused(await ask(client, 30, { 'x-user-id': 'somebody' }), 403);
          // What a page of another site may send without being asked.
          refused(await ask(client, 30, { 'content-type': 'text/plain' }), [400, 415]);
        }
      },
    ],
  }),
  ...casesIn('API4', {
    'Requests in the words of one that was answered have the rate of others': [
      'S86, S99',
      async ({ newClient, newTenant }) => {
        const client = await newClient({ tenant: await newTenant(), tier: 'free' });
        for (let time = 0; time < 20 * times; time++) if ((await ask(client)).status === 429) return;
        throw new Error(`of ${20 * times} none was limited`);
      },
    ],
  }),
  ...casesIn(
    'API1',
    Object.fromEntries(
      Object.entries(lists).map(([what, list]) => [
        `What ${what} has made for one tenant is told to no other, and made again when it changes`,
        [
          'S13, S14',
          async (world) => {
            // Their lists are as long as each other.
            const both = [await serving(world), await serving(world)];
            for (const { client, name } of both)
              await eventually(async () => (await list(client)).text.includes(name), { withinMs: 30_000, what: `${name} in the list` });
            for (const { client, worker } of both) {
              const { text } = served(await list(client));
              for (const { name } of both.filter((one) => one.client !== client)) mustNotHold(text, name, 'the list of another tenant');
              worker.cut();
            }
          },
        ] as const,
      ]),
    ),
  ),
];

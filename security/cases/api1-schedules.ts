// A schedule calls later, when nobody looks: with no more than its maker has then, and for nobody else.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { eventually, must } from '#lib/testing';
import { casesIn } from '../case.js';
import { as, mustNotHold, notFound, refused, served } from '../expect.js';
import { describe } from '../world/answer.js';
import type { Client } from '../world/client.js';
import type { World } from '../world/world.js';

const scopes = ['tools:read', 'tools:write', 'schedules'];
const metrics = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };
const shown = z.looseObject({ id: z.string(), name: z.string(), state: z.string(), last_job_id: z.string().nullable() });
const runs = z.looseObject({ runs: z.array(z.looseObject({ state: z.string(), job_id: z.string().nullable() })) });

async function made(client: Client, changes: object = {}): Promise<z.output<typeof shown>> {
  const json = { name: `s-${randomUUID()}`.slice(0, 20), tool: 'calc_metrics', arguments: metrics, cron: '0 3 1 1 *', ...changes };
  return as(served(await client.send('POST /schedules', { json })), shown);
}

const lines = (path: string) => [
  `GET /schedules/${path}`,
  `GET /schedules/${path}/runs`,
  `POST /schedules/${path}/run`,
  `DELETE /schedules/${path}`,
];

async function keyOf(world: World): Promise<{ readonly client: Client; readonly id: string }> {
  const json = { tenant_id: world.system.tenant.id, user_id: 'user_001', tier: 'pro', scopes };
  const { id, key } = as(served(await world.admin.send('POST /keys', { json })), z.looseObject({ id: z.string(), key: z.string() }));
  return { id, client: world.nobody.with({ authorization: `Bearer ${key}` }) };
}

export const scheduleCases = casesIn('API1', {
  'A schedule of another user or tenant does not exist, by its name and by its id': [
    'S13, S14',
    async ({ newClient, strangerTenant }) => {
      const { id, name } = await made(await newClient({ scopes }));
      const others = [await newClient({ userId: 'user_other', scopes }), await newClient({ tenant: strangerTenant, scopes })];
      for (const other of others) {
        for (const path of [id, name]) {
          for (const line of lines(path)) notFound(await other.send(line));
          notFound(await other.send(`PATCH /schedules/${path}`, { json: { paused: true } }));
        }
        mustNotHold(served(await other.send('GET /schedules')).text, id, 'the list of another');
      }
    },
  ],
  'A name of a schedule that was forged finds nothing': [
    'S14, S59',
    async ({ newClient }) => {
      const client = await newClient({ scopes });
      for (const name of ['*', '..%2fkeys', "'%20OR%201=1--", '{invoq}', '__proto__', 'x'.repeat(280), randomUUID()])
        for (const line of lines(name)) notFound(await client.send(line));
    },
  ],
  'An administrator makes no schedule of somebody else call anything': [
    'S11, S93',
    async ({ newClient, admin, strangerTenant }) => {
      const { id } = await made(await newClient({ scopes }));
      const strangerAdmin = await newClient({ tenant: strangerTenant, userId: null, scopes: ['tenant:admin', ...scopes] });
      for (const json of [
        { arguments: {} },
        { tool: 'create_node' },
        { paused: false },
        { cron: '* * * * *' },
        { paused: true, name: 'x' },
      ]) {
        refused(await admin.send(`PATCH /schedules/${id}`, { json }), 403);
        notFound(await strangerAdmin.send(`PATCH /schedules/${id}`, { json }));
      }
      refused(await admin.send(`POST /schedules/${id}/run`), 403);
      served(await admin.send(`PATCH /schedules/${id}`, { json: { paused: true } }));
    },
  ],
  'A schedule of a tool that its maker may not call is not made': [
    'S11',
    async ({ newClient }) => {
      const json = { name: 'more', tool: 'create_node', arguments: { title: 'a', content: 'b' }, every_ms: 1_000 };
      refused(await (await newClient({ scopes: ['tools:read', 'schedules'] })).send('POST /schedules', { json }), 403);
      notFound(await (await newClient({ scopes, tools: ['calc_metrics'] })).send('POST /schedules', { json }));
      refused(await (await newClient({ scopes: ['tools:read', 'tools:write'] })).send('POST /schedules', { json }), 403);
    },
  ],
  'A schedule of a revoked key calls nothing any more, and says so': [
    'S11, S14',
    async (world) => {
      const { id: keyId, client } = await keyOf(world);
      const { id } = await made(client, { cron: undefined, every_ms: 1_000, overlap: 'allow' });
      const called = async (by: Client): Promise<number> =>
        as(served(await by.send(`GET /schedules/${id}/runs?limit=100`)), runs).runs.filter(({ state }) => state === 'called').length;
      await eventually(async () => (await called(client)) > 0, { withinMs: 20_000, what: 'a first call' });
      served(await world.admin.send(`DELETE /keys/${keyId}`));
      refused(await client.send(`GET /schedules/${id}`), 401);
      const owner = await world.newClient({ scopes });
      const state = async (): Promise<boolean> => as(served(await owner.send(`GET /schedules/${id}`)), shown).state === 'stopped';
      await eventually(state, { withinMs: 20_000, what: 'the schedule to stop' });
      const before = await called(owner);
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      const after = await called(owner);
      must(after === before, `it has called ${after - before} times since it stopped`);
    },
  ],
  'The arguments of a schedule are shown to its owner alone': [
    'S14, S46',
    async ({ newClient, admin }) => {
      const { id } = await made(await newClient({ scopes }), { arguments: { ...metrics, weight_kg: 71.375 } });
      const answer = served(await admin.send(`GET /schedules/${id}`));
      mustNotHold(answer.text, '71.375', describe(answer));
    },
  ],
});

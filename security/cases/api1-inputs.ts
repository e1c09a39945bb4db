// What people are asked while calls rest: decided by who may, once, in time, and seen by nobody else.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { eventually, must } from '#lib/testing';
import { casesIn } from '../case.js';
import { as, mustNotHold, notFound, refused, served } from '../expect.js';
import { describe } from '../world/answer.js';
import type { Client } from '../world/client.js';
import { announce, contractOf, rowsOf, servedTool, wishing } from '../world/served-tools.js';
import type { World } from '../world/world.js';

const asks = ['tools:read', 'tools:write'];
const decides = [...asks, 'approvals'];
const accepted = z.looseObject({ job_id: z.string(), rest: z.looseObject({ input_request: z.string() }) });
const shown = z.looseObject({ state: z.string(), decided_by: z.string().nullable() });
const secretText = '71.375 kilograms';

/** A call that rests, of a tool that needs an approval. */
async function asked(world: World, by: Client, approval: object | true = true) {
  const { name, key, worker } = await servedTool(world, { approval });
  const { job_id, rest } = as(served(await by.send(`POST /tools/${name}`, { json: { text: secretText } })), accepted);
  return { name, key, worker, jobId: job_id, id: rest.input_request };
}

const post = async (by: Client, id: string, json: object) => by.send(`POST /input-requests/${id}`, { json });

export const inputCases = casesIn('API1', {
  'An input request of another user or tenant does not exist': [
    'S13, S14',
    async (world) => {
      const { newClient, strangerTenant } = world;
      const { id, worker } = await asked(world, await newClient({ scopes: asks }));
      worker.cut();
      const others = [
        await newClient({ userId: 'user_other', scopes: asks }),
        await newClient({ tenant: strangerTenant, scopes: decides }),
        await newClient({ tenant: strangerTenant, userId: null, scopes: ['*'] }),
      ];
      for (const other of others) {
        notFound(await other.send(`GET /input-requests/${id}`));
        for (const action of ['accept', 'decline', 'cancel']) notFound(await post(other, id, { action }));
        mustNotHold(served(await other.send('GET /input-requests')).text, id, 'the list of another');
      }
      refused(await (await newClient({ userId: 'user_other', scopes: asks })).send('GET /input-requests?scope=tenant'), 403);
    },
  ],
  'Nobody approves a call of their own, nor without the scope': [
    'S11, S93',
    async (world) => {
      const { newClient } = world;
      const own = await newClient({ scopes: decides });
      const { id, jobId, worker } = await asked(world, own);
      worker.cut();
      const actor = (await newClient({ userId: null, scopes: [...decides, 'act-as'] })).with({ 'x-user-id': 'user_001' });
      for (const by of [own, await newClient({ scopes: asks }), await newClient({ scopes: ['*'] }), actor])
        for (const action of ['accept', 'decline']) refused(await post(by, id, { action }), 403);
      must(served(await own.send(`GET /jobs/${jobId}`)).text.includes('"resting"'), 'the call does not rest any more');
    },
  ],
  'A call is decided once, whoever decides at the same moment': [
    'S93',
    async (world) => {
      const { newClient } = world;
      const { id, jobId, worker } = await asked(world, await newClient({ scopes: asks }));
      const deciders = await Promise.all(['a', 'b', 'c', 'd'].map(async (userId) => newClient({ userId, scopes: decides })));
      const answers = await Promise.all(deciders.map(async (by, n) => post(by, id, { action: n % 2 === 0 ? 'accept' : 'decline' })));
      must(answers.filter(({ status }) => status === 200).length === 1, `answers were ${answers.map(({ status }) => status).join()}`);
      for (const answer of answers.filter(({ status }) => status !== 200)) refused(answer, 409);
      const { state } = as(served(await deciders[0]!.send(`GET /input-requests/${id}`)), shown);
      const job = served(await world.admin.send(`GET /jobs/${jobId}`)).text;
      must((state === 'declined') === job.includes('"DECLINED"'), `it is ${state}, and the job is ${job.slice(0, 300)}`);
      worker.cut();
    },
  ],
  'A decision after the end is none, and the call does not run': [
    'S93',
    async (world) => {
      const { newClient } = world;
      const { id, jobId, worker } = await asked(world, await newClient({ scopes: asks }), { expires_ms: 1_000 });
      const boss = await newClient({ userId: 'boss', scopes: decides });
      const state = async (): Promise<boolean> => as(served(await boss.send(`GET /input-requests/${id}`)), shown).state === 'expired';
      await eventually(state, { withinMs: 20_000, what: 'the end' });
      refused(await post(boss, id, { action: 'accept' }), 410);
      const ended = async (): Promise<boolean> => (await world.admin.send(`GET /jobs/${jobId}`)).text.includes('NO_DECISION');
      await eventually(ended, { withinMs: 20_000, what: 'the end of the call' });
      worker.cut();
    },
  ],
  'An id of an input request that was forged finds nothing': [
    'S14, S59',
    async ({ newClient }) => {
      const boss = await newClient({ scopes: decides });
      for (const id of ['*', '..%2fkeys', "'%20OR%201=1--", '{invoq}', '__proto__', 'x'.repeat(280), randomUUID()]) {
        notFound(await boss.send(`GET /input-requests/${id}`));
        notFound(await post(boss, id, { action: 'accept' }));
      }
    },
  ],
  'Who approves sees no sensitive parameter, and gives none that the contract refuses': [
    'S14, S46',
    async (world) => {
      const { newClient } = world;
      const { id, worker } = await asked(world, await newClient({ scopes: asks }));
      worker.cut();
      const boss = await newClient({ userId: 'boss', scopes: decides });
      for (const line of [`GET /input-requests/${id}`, 'GET /input-requests?scope=tenant']) {
        const answer = served(await boss.send(line));
        mustNotHold(answer.text, secretText, describe(answer));
      }
      for (const arguments_ of [{ text: 7 }, { more: 1 }, [], 'text']) {
        refused(await post(boss, id, { action: 'accept', content: { arguments: arguments_ } }), 400);
      }
      served(await post(boss, id, { action: 'decline' }));
    },
  ],
  'A link of a webhook that was forged decides nothing': [
    'S14, S59',
    async (world) => {
      const { newClient, admin, nobody } = world;
      const { id } = await asked(world, await newClient({ scopes: asks }));
      const boss = await newClient({ userId: 'boss', scopes: [...decides, 'webhooks'] });
      const json = { url: 'https://example.com/told', events: ['input.requested'] };
      const webhook = as(served(await boss.send('POST /webhooks', { json })), z.looseObject({ id: z.string() }));
      const said = Buffer.from(JSON.stringify([id, webhook.id])).toString('base64url');
      for (const token of [`${said}.`, `${said}.AAAA`, said, `${said}.${said}`]) {
        notFound(await nobody.send(`GET /decide/${token}`));
        notFound(await nobody.send(`POST /decide/${token}`, { json: { action: 'accept' } }));
      }
      must(as(await boss.send(`GET /input-requests/${id}`), shown).state === 'open', 'a forged link decided');
      served(await admin.send(`DELETE /webhooks/${webhook.id}`));
    },
  ],
  'A version that drops the approval of its tool waits for an administrator': [
    'S68, audit F4',
    async (world) => {
      const { system } = world;
      const { name, worker } = await servedTool(world, { approval: true });
      worker.cut();
      const key = await system.tenant.key(wishing);
      await announce({ url: system.gateway.url, key, tools: [contractOf(name, { version: '1.0.1' })] });
      await announce({ url: system.gateway.url, key, tools: [contractOf(name, { version: '1.0.2', approval: { when: 'false' } })] });
      const rows = await rowsOf(world, system.tenant.id);
      for (const version of ['1.0.1', '1.0.2'])
        must(rows.find((row) => row.name === name && row.version === version)?.state === 'pending', `${version} needs no administrator`);
    },
  ],
});

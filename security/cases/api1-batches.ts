// A batch calls later, and keeps what it was given until then: for its maker alone, and with no more than its maker has.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { eventually, must } from '#lib/testing';
import { casesIn } from '../case.js';
import { as, mustNotHold, notFound, refused, served } from '../expect.js';
import { describe } from '../world/answer.js';
import type { Client } from '../world/client.js';

const scopes = ['tools:read', 'tools:write'];
const metrics = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };
const shown = z.looseObject({
  state: z.string(),
  completed: z.number(),
  failed: z.number(),
  cancelled: z.number(),
  finished_at: z.string().nullable(),
});

const calc = (changes: object = {}): object => ({ name: 'calc_metrics', arguments: { ...metrics, ...changes } });

async function made(client: Client, calls: readonly object[], headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const answer = served(await client.send('POST /batches', { json: { calls }, headers }));
  return as(answer, z.looseObject({ batch_id: z.string() })).batch_id;
}

async function ended(client: Client, id: string): Promise<z.output<typeof shown>> {
  return eventually(
    async () => {
      const batch = as(served(await client.send(`GET /batches/${id}`)), shown);
      return batch.finished_at !== null && batch;
    },
    { withinMs: 30_000, what: 'the end of the batch' },
  );
}

const lines = (id: string) => [`GET /batches/${id}`, `GET /batches/${id}/results`, `GET /batches/${id}/events`, `DELETE /batches/${id}`];

export const batchCases = casesIn('API1', {
  'A batch of another user or tenant does not exist': [
    'S13, S14',
    async ({ newClient, strangerTenant }) => {
      const client = await newClient({ scopes });
      const id = await made(client, [calc({ weight_kg: 71.375 })]);
      const strangerAdmin = await newClient({ tenant: strangerTenant, userId: null, scopes: ['tenant:admin', ...scopes] });
      const others = [
        await newClient({ userId: 'user_other', scopes }),
        await newClient({ tenant: strangerTenant, scopes }),
        strangerAdmin,
      ];
      for (const other of others) {
        for (const line of lines(id)) notFound(await other.send(line));
        mustNotHold(served(await other.send('GET /batches')).text, id, 'the list of another');
      }
      must((await ended(client, id)).state === 'completed', 'a stranger has cancelled it');
    },
  ],
  'An id of a batch that was forged finds nothing': [
    'S14, S59',
    async ({ newClient }) => {
      const client = await newClient({ scopes });
      for (const id of ['*', '..%2fkeys', "'%20OR%201=1--", '{invoq}', '__proto__', 'x'.repeat(280), randomUUID()])
        for (const line of lines(id)) notFound(await client.send(line));
    },
  ],
  'A batch calls no tool that its maker may not call': [
    'S11',
    async ({ newClient }) => {
      const write = { name: 'create_node', arguments: { title: 'a', content: 'b' } };
      for (const options of [{ scopes: ['tools:read'] }, { scopes, tools: ['calc_metrics'] }]) {
        const client = await newClient(options);
        const id = await made(client, [write, calc()]);
        const { completed, failed } = await ended(client, id);
        must(completed === 1 && failed === 1, `${completed} completed and ${failed} failed`);
      }
    },
  ],
  'An idempotency key of a batch of another makes a batch of its own': [
    'S14',
    async ({ newClient, strangerTenant }) => {
      const headers = { 'idempotency-key': 'the-same-key-for-every-batch' };
      const clients = [
        await newClient({ scopes }),
        await newClient({ userId: 'user_other', scopes }),
        await newClient({ tenant: strangerTenant, scopes }),
      ];
      const ids = await Promise.all(clients.map(async (client) => made(client, [calc()], headers)));
      must(new Set(ids).size === ids.length, 'two callers share a batch');
    },
  ],
  'Failed calls of another are neither counted nor tried again': [
    'S14, S46',
    async ({ newClient, strangerTenant, objects }) => {
      const strangerAdmin = await newClient({ tenant: strangerTenant, userId: null, scopes: ['tenant:admin', ...scopes] });
      const others = [
        await newClient({ userId: 'user_other', scopes }),
        await newClient({ tenant: strangerTenant, scopes }),
        strangerAdmin,
      ];
      for (const other of others) {
        const json = { replay: { job_ids: [objects.jobId] } };
        const answer = served(await other.send('POST /batches?dry_run=true', { json }));
        must(as(answer, z.looseObject({ count: z.number() })).count === 0, 'a call of another is counted');
        const id = as(served(await other.send('POST /batches', { json })), z.looseObject({ batch_id: z.string() })).batch_id;
        must((await ended(other, id)).failed === 1, 'a call of another was tried again');
        refused(await other.send('POST /batches?dry_run=true', { json: { replay: { user: 'user_third' } } }), 403);
      }
    },
  ],
  'Jobs of another are cancelled by no filter': [
    'S13, S14',
    async ({ newClient, strangerTenant }) => {
      const client = await newClient({ scopes });
      const batch = await made(client, [{ ...calc(), options: { delay_ms: 3_600_000 } }]);
      const others = [await newClient({ userId: 'user_other', scopes }), await newClient({ tenant: strangerTenant, scopes })];
      for (const other of others) {
        served(await other.send('POST /jobs/cancel', { json: {} }));
        refused(await other.send('POST /jobs/cancel', { json: { user: 'user_third' } }), 403);
      }
      const { finished_at } = as(served(await client.send(`GET /batches/${batch}`)), shown);
      must(finished_at === null, 'a call of another was cancelled');
      served(await client.send(`DELETE /batches/${batch}`));
    },
  ],
  'The results of a batch are read by its owner alone': [
    'S14, S46',
    async ({ newClient, admin }) => {
      const client = await newClient({ scopes });
      const id = await made(client, [calc({ weight_kg: 71.375 })]);
      await ended(client, id);
      const answer = await admin.send(`GET /batches/${id}/results`);
      refused(answer, 403);
      mustNotHold(answer.text, '"data"', describe(answer));
      mustNotHold(served(await admin.send(`GET /batches/${id}`)).text, '71.375', 'what an administrator sees');
    },
  ],
});

// Webhooks tell a tenant's events outside: to whom its own administrators say, of nobody else's calls, and signed by what nobody else has.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { must } from '#lib/testing';
import { casesIn } from '../case.js';
import { as, mustNotHold, notFound, refused, served } from '../expect.js';
import { describe } from '../world/answer.js';
import type { Client } from '../world/client.js';

const scopes = ['tools:read', 'webhooks'];
const made = z.looseObject({ id: z.string(), secret: z.string() });
const json = { url: 'https://hooks.example/', events: ['webhook.disabled'] };

async function make(client: Client): Promise<z.output<typeof made>> {
  return as(served(await client.send('POST /webhooks', { json })), made);
}

const lines = (id: string) => [
  `GET /webhooks/${id}`,
  `DELETE /webhooks/${id}`,
  `POST /webhooks/${id}/rotate`,
  `POST /webhooks/${id}/test`,
  `GET /webhooks/${id}/deliveries`,
  `POST /webhooks/${id}/deliveries/${randomUUID()}/retry`,
];

export const webhookCases = casesIn('API1', {
  'A webhook of another tenant does not exist': [
    'S13, S14',
    async ({ newClient, strangerTenant }) => {
      const { id } = await make(await newClient({ scopes }));
      for (const more of [['webhooks'], ['tenant:admin']]) {
        const other = await newClient({ tenant: strangerTenant, scopes: more });
        for (const line of lines(id)) notFound(await other.send(line));
        notFound(await other.send(`PATCH /webhooks/${id}`, { json: { enabled: false } }));
        mustNotHold(served(await other.send('GET /webhooks')).text, id, 'the list of another');
      }
    },
  ],
  'An id of a webhook that was forged finds nothing': [
    'S14, S59',
    async ({ newClient }) => {
      const client = await newClient({ scopes });
      for (const id of ['*', '..%2fkeys', "'%20OR%201=1--", '{invoq}', '__proto__', 'x'.repeat(280), randomUUID()])
        for (const line of lines(id)) notFound(await client.send(line));
    },
  ],
  'A webhook is made, seen and changed with its scope alone': [
    'S11',
    async ({ newClient }) => {
      const { id } = await make(await newClient({ scopes }));
      const other = await newClient({ scopes: ['tools:read', 'tools:write', 'schedules', 'approvals', 'act-as', 'tools:serve'] });
      for (const line of ['GET /webhooks', ...lines(id)]) refused(await other.send(line), 403);
      refused(await other.send('POST /webhooks', { json }), 403);
      refused(await other.send(`PATCH /webhooks/${id}`, { json: { url: 'https://elsewhere.example/' } }), 403);
    },
  ],
  'The secret of a webhook is told once, and to nobody again': [
    'S45, S46',
    async ({ newClient, admin }) => {
      const client = await newClient({ scopes });
      const { id, secret } = await make(client);
      const audit = await admin.send('GET /audit?limit=100&action=webhook.insert');
      for (const answer of [await client.send(`GET /webhooks/${id}`), await client.send('GET /webhooks'), audit]) {
        mustNotHold(served(answer).text, secret.slice(6), describe(answer));
        mustNotHold(answer.text, 'whsec_', describe(answer));
      }
      const rotated = as(served(await client.send(`POST /webhooks/${id}/rotate`)), made);
      must(rotated.secret !== secret, 'the secret is the same as before');
    },
  ],
});

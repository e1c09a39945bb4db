import { z } from 'zod';
import { must } from '#lib/testing';
import { casesIn } from '../case.js';
import { as, refused, served } from '../expect.js';
import type { Client } from '../world/client.js';
import type { World } from '../world/world.js';
import { forbidden, listening } from './api7-ssrf.js';

const scopes = ['webhooks'];
const events = ['webhook.disabled'];
const made = z.looseObject({ id: z.string() });
const tried = z.looseObject({ state: z.string(), last_status: z.number().nullable(), last_error: z.string().nullable() });

/** Tries a webhook at an address, as often as that. Nothing may arrive. */
async function tryAt(client: Client, url: string, times: number): Promise<void> {
  const { id } = as(served(await client.send('POST /webhooks', { json: { url, events } })), made);
  let why: string | null = null;
  for (let n = 0; n < times; n++) {
    const { state, last_status, last_error } = as(served(await client.send(`POST /webhooks/${id}/test`)), tried);
    must(state === 'failed' && last_status === null, `a try at ${url} was answered: ${state} ${last_status}`);
    why = last_error;
  }
  must(why?.includes('private network') === true, `the last try at ${url} failed for another reason: ${why}`);
  served(await client.send(`DELETE /webhooks/${id}`));
}

export const webhookAddressCases = [
  ...casesIn(
    'API7',
    Object.fromEntries(
      Object.entries(forbidden).map(([what, urls]) => [
        `No webhook is made at an address ${what}`,
        [
          'S61, S64',
          async ({ newClient }: World) => {
            const client = await newClient({ scopes });
            for (const url of urls) refused(await client.send('POST /webhooks', { json: { url, events } }), 400);
          },
        ] as const,
      ]),
    ),
  ),
  ...casesIn('API7', {
    'A webhook whose name leads to this machine is not sent': [
      'S61, S62',
      ({ newClient }) =>
        listening(async (port, connections) => {
          await tryAt(await newClient({ scopes }), `https://inside.example:${port}/`, 1);
          must(connections() === 0, 'the gateway connected to the address');
        }),
    ],
    'A webhook whose name changes from a public to a private address is not sent': [
      'S62, DNS rebinding',
      ({ newClient }) =>
        listening(async (port, connections) => {
          // The first try finds a public address where nobody answers; from the second on the name is local.
          await tryAt(await newClient({ scopes }), `https://w${port}.rebind.example:${port}/`, 3);
          must(connections() === 0, 'the gateway connected to the private address');
        }),
    ],
  }),
];

import { z } from 'zod';
import { must } from '#lib/testing';
import { casesIn } from '../case.js';
import { as, refused, served } from '../expect.js';
import type { Answer } from '../world/answer.js';
import type { Client } from '../world/client.js';
import { makeKey } from '../world/credentials.js';
import type { World } from '../world/world.js';

/** What a browser says of a request of the console's own page. */
const ownPage = { 'sec-fetch-site': 'same-origin', 'x-invoq-console': '1' };
const issued = z.looseObject({ ticket: z.string() });
const session = 'GET /console/session';

function signIn(at: Client, credential: object): Promise<Answer> {
  return at.with(ownPage).send('POST /console/session', { json: credential });
}

/** A browser that has signed in with a new key, on the page of nobody in particular. */
async function browserOf(world: World) {
  const { key, revoke } = await makeKey(world);
  const answer = served(await signIn(world.nobody, { key }));
  const setCookie = answer.headers.get('set-cookie') ?? '';
  const browser = world.nobody.with({ cookie: setCookie.split(';')[0] ?? '' });
  return { key, revoke, setCookie, browser };
}

export const consoleCases = casesIn('API2', {
  'The cookie of the console is kept from scripts and other sites, and holds no key': [
    '',
    async (world) => {
      const { key, setCookie } = await browserOf(world);
      for (const attribute of ['HttpOnly', 'SameSite=Strict', 'Path=/'])
        must(setCookie.split('; ').includes(attribute), `the cookie lacks ${attribute}: ${setCookie}`);
      for (const part of key.split('_').filter((one) => one.length > 5))
        must(!setCookie.includes(part), 'the cookie holds a part of the key');
    },
  ],
  'The cookie of the console counts for its own page alone': [
    '',
    async (world) => {
      const { browser } = await browserOf(world);
      served(await browser.with(ownPage).send(session));
      for (const site of ['cross-site', 'same-site', 'none', 'same-origin, cross-site'])
        refused(await browser.with({ ...ownPage, 'sec-fetch-site': site }).send(session), [401, 403]);
      refused(await browser.send(session), 401);
      // A form sends no header of its own.
      refused(await browser.with({ 'sec-fetch-site': 'same-origin' }).send('POST /tickets', { json: {} }), 401);
      refused(await browser.with({ ...ownPage, authorization: 'Bearer none' }).send(session), 401);
      refused(await browser.with(ownPage).send('POST /mcp', { json: { jsonrpc: '2.0', id: 1, method: 'tools/list' } }), 401);
    },
  ],
  'A session of the console ends with its key, and when it is signed out': [
    'S04',
    async (world) => {
      const [one, other] = [await browserOf(world), await browserOf(world)];
      for (const { browser } of [one, other]) served(await browser.with(ownPage).send(session));
      await one.revoke();
      refused(await one.browser.with(ownPage).send(session), 401);
      served(await other.browser.with(ownPage).send('DELETE /console/session'));
      refused(await other.browser.with(ownPage).send(session), 401);
    },
  ],
  'The address that signs a browser in works once, and a session makes no other': [
    '',
    async (world) => {
      const { client } = await makeKey(world);
      const { ticket } = as(served(await client.send('POST /console/tickets', { json: {} })), issued);
      const [first, second] = await Promise.all([signIn(world.nobody, { ticket }), signIn(world.nobody, { ticket })]);
      must([first, second].filter(({ status }) => status === 201).length === 1, `a ticket gave ${first.status} and ${second.status}`);
      const { browser } = await browserOf(world);
      refused(await browser.with(ownPage).send('POST /console/tickets', { json: {} }), 403);
    },
  ],
});

// Accounts of users: each is its user's alone, and nobody can have somebody else connect one for them, or have a token sent elsewhere.
import { z } from 'zod';
import { must } from '#lib/testing';
import { casesIn } from '../case.js';
import { as, mustNotHold, notFound, refused, served } from '../expect.js';
import type { Client } from '../world/client.js';
import { forbidden } from './api7-ssrf.js';

const address = z.looseObject({ url: z.string() });
const scopes = ['tools:read', 'tenant:admin'];
const client = { client_id: 'invoq', client_secret: 'not-to-be-shown' };

async function beginning(by: Client, provider: string, more: object = {}): Promise<string> {
  const { url } = as(served(await by.send('POST /connections', { json: { provider, ...more } })), address);
  return new URL(url).pathname;
}

export const accountCases = casesIn('API1', {
  'An account of another user or tenant does not exist': [
    'S13, S14',
    async ({ newClient, strangerTenant, objects: { connectionId } }) => {
      const others = [
        await newClient({ userId: 'user_other' }),
        await newClient({ tenant: strangerTenant }),
        await newClient({ tenant: strangerTenant, userId: null, scopes }),
      ];
      for (const other of others) {
        notFound(await other.send(`DELETE /connections/${connectionId}`));
        const list = served(await other.send('GET /connections'));
        mustNotHold(list.text, connectionId, 'the list of another');
      }
      const [, , admin] = others;
      if (admin) mustNotHold(served(await admin.send('GET /connections?scope=tenant')).text, connectionId, 'the list of another tenant');
      refused(await (await newClient()).send('GET /connections?scope=tenant'), 403, 'PERMISSION_DENIED');
    },
  ],
  'What one user has begun is finished in no other browser': [
    'S13, login CSRF and confused deputy',
    async ({ newClient, nobody }) => {
      const [admin, user] = [await newClient({ userId: null, scopes }), await newClient({ userId: 'begins' })];
      served(await admin.send('PUT /providers/begins', { json: { preset: 'github', ...client } }));
      const begun = sentOn(await nobody.send(`GET ${await beginning(user, 'begins')}`));
      const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? '';
      must(state.length > 40, 'the state can be guessed');
      const cookie = (begun.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
      must(/httponly/i.test(begun.headers.get('set-cookie') ?? ''), 'scripts read the cookie');
      const callback = (of: string) => `GET /connections/callback?code=stolen&state=${of}`;
      const others = [
        await nobody.send(callback(state)),
        await nobody.send(callback(state), { headers: { cookie: cookie.replace(/.$/, cookie.endsWith('A') ? 'B' : 'A') } }),
        await nobody.send(callback('x'.repeat(43)), { headers: { cookie } }),
      ];
      // The provider was asked for none of them: that its answer is no is another fault, which names it.
      for (const answer of others) mustNotHold(refused(answer, 400).text, 'could not be connected', 'the page of another browser');
      mustNotHold(served(await user.send('GET /connections')).text, '"state":"connected"', 'the accounts of who began');
    },
  ],
  'A browser is sent nowhere but where its provider allows it': [
    'open redirect',
    async ({ newClient }) => {
      const [admin, user] = [await newClient({ userId: null, scopes }), await newClient()];
      served(await admin.send('PUT /providers/returns', { json: { api_key: true, return_origins: ['https://app.example'] } }));
      for (const return_to of [
        'https://evil.example/',
        'https://app.example.evil.example/',
        'https://app.example@evil.example/',
        'http://app.example/',
        'https://app.example:8443/',
        'http://127.0.0.1/',
        'javascript:alert(1)',
        '//evil.example/',
        'https:\\\\evil.example',
      ])
        refused(await user.send('POST /connections', { json: { provider: 'returns', return_to } }), 400, 'INVALID_PARAMS');
      await beginning(user, 'returns', { return_to: 'https://app.example/done' });
    },
  ],
  'No provider is asked in a private network, whoever names it': [
    'S61, S64, SSRF by issuer',
    async ({ newClient }) => {
      const admin = await newClient({ userId: null, scopes });
      for (const url of Object.values(forbidden).flat())
        for (const json of [
          { issuer: url, ...client },
          { resource: url, ...client },
          { authorization_endpoint: 'https://login.example/', token_endpoint: url, registration_endpoint: url },
        ])
          refused(await admin.send('PUT /providers/private', { json }), 400);
      notFound(await admin.send('GET /providers/private'));
    },
  ],
  'A key or a secret that was given is shown to nobody again': [
    'S41, token passthrough',
    async ({ newClient, nobody }) => {
      const [admin, user] = [await newClient({ userId: null, scopes }), await newClient({ userId: 'pastes' })];
      served(await admin.send('PUT /providers/shown', { json: { preset: 'slack', ...client } }));
      served(await admin.send('PUT /providers/pasted', { json: { api_key: true } }));
      const begun = await beginning(user, 'pasted');
      served(await nobody.send(`POST ${begun}`, { json: { api_key: 'pasted-not-to-be-shown' } }));
      refused(await nobody.send(`POST ${begun}`, { json: { api_key: 'another' } }), 410);
      for (const [by, line] of [
        [admin, 'GET /providers'],
        [admin, 'GET /providers/shown'],
        [admin, 'GET /connections?scope=tenant'],
        [user, 'GET /connections'],
      ] as const)
        mustNotHold(served(await by.send(line)).text, 'not-to-be-shown', line);
    },
  ],
});

/** On its way to the provider. */
function sentOn(answer: Awaited<ReturnType<Client['send']>>): typeof answer {
  must(answer.status === 303, `a browser is not sent on: ${answer.status}`);
  return answer;
}

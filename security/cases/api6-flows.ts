import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { must } from '#lib/testing';
import { casesIn } from '../case.js';
import { as, mustNotHold, notFound, refused, served } from '../expect.js';

const link = { stripe_account_id: 'acct_ok' };
const job = z.looseObject({ job_id: z.string() });
const made = z.looseObject({ data: z.looseObject({ url: z.string() }), metadata: z.looseObject({ job_id: z.string() }) });
const accepted = { prefer: 'respond-async' };

const badReturnUrls = [
  'javascript:alert(1)',
  'data:text/html,x',
  '//evil.example/x',
  'https://app.example.com@evil.example/',
  'https://evil.example/#https://app.example.com',
  'https://app.example.com.evil.example/',
  'https://app.example.com%2eevil.example/',
  'https://app.example.com:444/',
  'http://app.example.com/',
  'https://app.example.com\\@evil.example/',
  'https://evil.example?https://app.example.com',
  'ftp://app.example.com/',
];

export const flowCases = casesIn('API6', {
  'A link for one use is handed out once, to one of many who ask at the same time': [
    'S35',
    async ({ victim }) => {
      const { job_id } = as(await victim.send('POST /tools/express_dashboard_login_link', { json: link, headers: accepted }), job);
      const answers = await Promise.all(Array.from({ length: 20 }, () => victim.send(`GET /jobs/${job_id}?wait=20`)));
      const holding = answers.filter(({ text }) => text.includes('"url":"https://'));
      must(holding.length === 1, `${holding.length} of 20 answers hold the link`);
    },
  ],
  'A link for one use is not given again': [
    'S35',
    async ({ victim, objects }) => {
      const again = await victim.send(`GET /jobs/${objects.secretJobId}`);
      mustNotHold(again.text, objects.secretLink, 'the second answer');
      mustNotHold((await victim.send('GET /jobs?limit=100')).text, objects.secretLink, 'the list of jobs');
      mustNotHold((await victim.send(`GET /jobs/${objects.secretJobId}/events`)).text, objects.secretLink, 'the replayed stream');
    },
  ],
  'A link is opened by nobody but its caller': [
    'S36',
    async ({ victim, neighbour, stranger, admin }) => {
      const { job_id } = as(await victim.send('POST /tools/express_dashboard_login_link', { json: link, headers: accepted }), job);
      for (const client of [neighbour, stranger]) notFound(await client.send(`GET /jobs/${job_id}?wait=5`));
      const seen = served(await admin.send(`GET /jobs/${job_id}?wait=20`)).text;
      mustNotHold(seen, 'https://connect.stripe.com', "the administrator's view");
      must((await victim.send(`GET /jobs/${job_id}?wait=5`)).text.includes('https://connect.stripe.com'), 'the caller got no link');
    },
  ],
  'The same idempotency key makes no second link': [
    'S39',
    async ({ victim, sandbox }) => {
      const headers = { 'idempotency-key': randomUUID() };
      const count = () => sandbox.ledger.links.length;
      as(served(await victim.send('POST /tools/express_dashboard_login_link', { json: link, headers })), made);
      const before = count();
      await victim.send('POST /tools/express_dashboard_login_link', { json: link, headers });
      must(count() === before, 'Stripe was asked for another link');
    },
  ],
  'A key that was used with other parameters is refused': [
    'S39, S22',
    async ({ victim }) => {
      const headers = { 'idempotency-key': randomUUID() };
      served(await victim.send('POST /tools/user_profile_lookup', { json: { user_id: 'user_001' }, headers }));
      refused(
        await victim.send('POST /tools/calc_metrics', {
          json: { height_cm: 170, weight_kg: 70, age: 30, gender: 'male', activity_level: 'light' },
          headers,
        }),
        [422, 200],
      );
      refused(await victim.send('POST /tools/user_profile_lookup', { json: { user_id: 'user_002' }, headers }), [403, 422]);
    },
  ],
  'A merchant is sent to no page but those of the allow-list': [
    'S60',
    async ({ victim }) => {
      const good = 'https://app.example.com/done';
      for (const bad of badReturnUrls) {
        refused(
          await victim.send('POST /tools/connect_generate_relink_url', { json: { ...link, return_url: bad, refresh_url: good } }),
          400,
        );
        refused(
          await victim.send('POST /tools/connect_generate_relink_url', { json: { ...link, return_url: good, refresh_url: bad } }),
          400,
        );
      }
    },
  ],
  'A tenant without an allow-list is sent nowhere': [
    'S60, S26',
    async ({ stranger }) => {
      const json = { ...link, return_url: 'https://app.example.com/done', refresh_url: 'https://app.example.com/again' };
      refused(await stranger.send('POST /tools/connect_generate_relink_url', { json }), [400, 403, 404]);
    },
  ],
  'A visitor has few conversations a day, whatever cookies and addresses it sends': [
    'S27, S57, S100',
    async ({ nobody, strictUrl, model }) => {
      const marker = `visitor-${randomUUID()}`;
      model.on(marker, { text: 'hi' });
      const texts: string[] = [];
      for (let tries = 0; tries < 9; tries++) {
        const headers = { 'x-forwarded-for': `198.51.100.${tries}`, cookie: `invoq_guest=${randomUUID().replaceAll('-', '')}` };
        const answer = await nobody.at(strictUrl).send('POST /chat/v5/guest/stream', { json: { message: marker }, headers });
        texts.push(`${answer.status} ${answer.text}`);
      }
      must(
        texts.some((text) => /429|quota|QUOTA/i.test(text)),
        'nine conversations of one address were served',
      );
      must(model.asked(marker).length <= 6, `the model answered ${model.asked(marker).length} times`);
    },
  ],
  'A visitor uses no tool of users': [
    'S27',
    async ({ nobody, objects }) => {
      const guest = nobody.with({ cookie: objects.guestCookie });
      for (const line of [
        'GET /jobs',
        'POST /tools/calc_metrics',
        'GET /chat/v5/conversations',
        `GET /chat/v5/conversations/${objects.guestConversationId}`,
      ])
        refused(await guest.send(line), 401);
    },
  ],
});

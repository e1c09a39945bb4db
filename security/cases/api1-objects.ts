import { z } from 'zod';
import { eventually, must } from '#lib/testing';
import { casesIn } from '../case.js';
import { as, clientError, mustNotHold, notFound, refused, served } from '../expect.js';
import { describe } from '../world/answer.js';
import type { World } from '../world/world.js';

const ran = z.looseObject({ metadata: z.looseObject({ job_id: z.string() }) });
const profileOf = (user: string) => ({ user_id: user });

/** Ids that are none, and texts that a key of a store could be made of. */
const guesses = ['1', '0', 'meta', 'active', 'events', 'id', 'a:b', '*', '{invoq}', '..%2f..%2fkeys', '%00', 'x'.repeat(5_000)];

const eventIds = ['../', '*', '$', '0-0', '9999999999999-0', '-1', 'evt_', 'x'.repeat(6_000)];

/** The same thing asked for by those who may not have it. */
async function foreignToAll({ neighbour, stranger, nobody }: World, line: string): Promise<void> {
  notFound(await neighbour.send(line));
  notFound(await stranger.send(line));
  refused(await nobody.send(line), 401);
}

/** A trace of the victim that is there: newer ones of its tenant push out those of the start. */
async function newTrace({ victim }: World): Promise<string> {
  const answer = served(await victim.send('POST /tools/user_profile_lookup', { json: profileOf('user_001') }));
  const id = as(answer, z.looseObject({ metadata: z.looseObject({ trace_id: z.string() }) })).metadata.trace_id;
  // Spans arrive a moment later.
  await eventually(async () => (await victim.send(`GET /traces/${id}`)).status === 200, { what: 'the trace' });
  return id;
}

export const objectCases = casesIn('API1', {
  'A job of another user does not exist': ['S13', async (world) => foreignToAll(world, `GET /jobs/${world.objects.jobId}`)],
  'A job of another user cannot be cancelled': ['S13', async (world) => foreignToAll(world, `DELETE /jobs/${world.objects.jobId}`)],
  'Events of a job of another user do not exist': ['S15', async (world) => foreignToAll(world, `GET /jobs/${world.objects.jobId}/events`)],
  'A result of another user is not read in parts': ['S13', async (world) => foreignToAll(world, `GET /results/${world.objects.jobId}`)],
  'A result of another user is not read by the tool get_result': [
    'S13',
    async ({ neighbour, stranger, objects }) => {
      for (const other of [neighbour, stranger])
        notFound(await other.send('POST /tools/get_result', { json: { result_id: objects.jobId } }));
    },
  ],
  'A trace of another user does not exist': ['S13', async (world) => foreignToAll(world, `GET /traces/${await newTrace(world)}`)],
  'A conversation of another user does not exist': [
    'S13',
    async (world) => {
      const path = `/chat/v5/conversations/${world.objects.conversationId}`;
      notFound(await world.neighbour.send(`GET ${path}`));
      notFound(await world.neighbour.send(`DELETE ${path}`));
    },
  ],
  'A conversation of another user of the tenant cannot be continued': [
    'S13, finding 3',
    async ({ neighbour, objects }) => {
      const json = { message: 'what did I say?', conversation_id: objects.conversationId };
      notFound(await neighbour.send('POST /chat/v5/stream', { json }));
    },
  ],
  "A guest who posts another guest's conversation id reads nothing of it": [
    'finding 3, S13',
    async ({ nobody, objects, model }) => {
      const marker = `another-guest-${objects.guestConversationId}`;
      model.on(marker, { text: 'You are new here.' });
      const json = { message: marker, conversation_id: objects.guestConversationId };
      const answer = served(await nobody.send('POST /chat/v5/guest/stream', { json }));
      mustNotHold(answer.text, 'guest-canary', 'the answer to another guest');
      mustNotHold(JSON.stringify(model.asked(marker)), 'guest-canary', 'what the model was told for another guest');
    },
  ],
  'What another guest said is not put into the history of a guest': [
    'finding 3',
    async ({ nobody, objects, model }) => {
      const intruder = `intruder-${objects.guestConversationId}`;
      model.on(intruder, { text: 'x' });
      const conversation_id = objects.guestConversationId;
      await nobody.send('POST /chat/v5/guest/stream', { json: { message: intruder, conversation_id } });
      const owner = nobody.with({ cookie: objects.guestCookie });
      const marker = `owner-again-${conversation_id}`;
      model.on(marker, { text: 'x' });
      served(await owner.send('POST /chat/v5/guest/stream', { json: { message: marker, conversation_id } }));
      mustNotHold(JSON.stringify(model.asked(marker)), intruder, "the owner's history");
    },
  ],
  'A foreign job and one that never was are answered alike': [
    'S14',
    async ({ stranger, objects }) => {
      const foreign = notFound(await stranger.send(`GET /jobs/${objects.jobId}`));
      const random = notFound(await stranger.send(`GET /jobs/${objects.jobId.slice(0, -4)}0000`));
      const plain = (text: string) => text.replaceAll(/inv_\w+|trace_\w+|\d{4}-[\dT:.-]+Z/g, '·');
      must(plain(foreign.text) === plain(random.text), `they differ: ${describe(foreign)} and ${describe(random)}`);
    },
  ],
  'Guessed ids find nothing and break nothing': [
    'S16, S50',
    async ({ stranger }) => {
      for (const id of guesses)
        for (const line of [`GET /jobs/${id}`, `GET /traces/${id}`, `GET /jobs/${id}/events`]) clientError(await stranger.send(line));
    },
  ],
  "One's own event id opens no job of another": [
    'S15, S48',
    async ({ stranger, objects }) => {
      const own = as(served(await stranger.send('POST /tools/user_profile_lookup', { json: profileOf('user_001') })), ran).metadata.job_id;
      notFound(await stranger.send(`GET /jobs/${objects.jobId}/events`, { headers: { 'last-event-id': `evt_${own}_1` } }));
      refused(await stranger.send(`GET /jobs/${own}/events`, { headers: { 'last-event-id': objects.eventId } }), [400, 404]);
      const resumed = await stranger.send('GET /tools/user_profile_lookup/sse?user_id=user_001', {
        headers: { 'last-event-id': objects.eventId },
      });
      must(resumed.status === 204, `it resumed: ${describe(resumed)}`);
    },
  ],
  'A Last-Event-ID that is none starts nothing else': [
    'S48',
    async ({ victim, stranger, objects }) => {
      for (const id of eventIds) {
        refused(await victim.send(`GET /jobs/${objects.jobId}/events`, { headers: { 'last-event-id': id } }), [400, 404]);
        notFound(await stranger.send(`GET /jobs/${objects.jobId}/events?lastEventId=${encodeURIComponent(id)}`));
      }
    },
  ],
  'A list shows the own things alone, whatever the query asks for': [
    'S17',
    async ({ neighbour, stranger, objects, system }) => {
      const query = `userId=user_001&user_id=user_001&tenantId=${system.tenant.id}&tenant_id=${system.tenant.id}&filter[user]=user_001&sort=hash`;
      for (const client of [neighbour, stranger])
        for (const path of ['/jobs', '/chat/v5/conversations']) {
          const { text } = await client.send(`GET ${path}?${query}`);
          mustNotHold(text, objects.jobId, 'a list of another');
        }
    },
  ],
  'A cursor of another caller is refused': [
    'S18, S19',
    async ({ neighbour, stranger, objects }) => {
      for (const client of [neighbour, stranger]) refused(await client.send(`GET /jobs?cursor=${encodeURIComponent(objects.cursor)}`), 400);
    },
  ],
  'A cursor that was altered or invented is refused': [
    'S18',
    async ({ victim, objects: { cursor } }) => {
      const invented = Buffer.from('{"offset":10}').toString('base64');
      for (const wrong of [`${cursor}A`, cursor.slice(1), cursor.slice(0, -8), cursor.replace('.', '..'), invented, '{}', '%00', '-1'])
        refused(await victim.send(`GET /jobs?cursor=${encodeURIComponent(wrong)}`), 400);
    },
  ],
  'The same call of two tenants gives each its own answer': [
    'S20',
    async ({ victim, stranger, canary }) => {
      const call = { json: profileOf('user_001') };
      must(served(await victim.send('POST /tools/user_profile_lookup', call)).text.includes(canary), 'the victim lacks its own profile');
      // The rule of all answers looks for the canary.
      served(await stranger.send('POST /tools/user_profile_lookup', call));
    },
  ],
  'A cached answer is given to its caller alone': [
    'S20',
    async ({ victim, neighbour, stranger }) => {
      const call = { json: { stripe_account_id: 'acct_ok' } };
      served(await victim.send('POST /tools/stripe_get_account_status', call));
      served(await victim.send('POST /tools/stripe_get_account_status', call));
      for (const other of [neighbour, stranger]) refused(await other.send('POST /tools/stripe_get_account_status', call), [403, 404]);
    },
  ],
  'Different parameters never share a cached answer': [
    'S21',
    async ({ victim }) => {
      const body = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'light' };
      const one = served(await victim.send('POST /tools/calc_metrics', { json: body })).body;
      const data = z.looseObject({ data: z.unknown() });
      for (const change of [{ weight_kg: 71 }, { age: 31 }, { gender: 'female' }, { activity_level: 'active' }]) {
        const other = served(await victim.send('POST /tools/calc_metrics', { json: { ...body, ...change } })).body;
        must(
          JSON.stringify(data.parse(one).data) !== JSON.stringify(data.parse(other).data),
          `the same answer for ${JSON.stringify(change)}`,
        );
      }
    },
  ],
  'An idempotency key of another caller replays nothing': [
    'S22',
    async ({ neighbour, stranger, objects }) => {
      const headers = { 'idempotency-key': objects.idempotencyKey };
      for (const [client, user] of [
        [stranger, 'user_001'],
        [neighbour, 'user_other'],
      ] as const) {
        const answer = served(await client.send('POST /tools/user_profile_lookup', { json: profileOf(user), headers }));
        must(!answer.headers.has('idempotent-replayed'), `it was replayed: ${describe(answer)}`);
        must(as(answer, ran).metadata.job_id !== objects.jobId, 'the job is that of another');
      }
    },
  ],
  'An answer that belongs to a caller is kept by no shared cache': [
    'S23',
    async (world) => {
      const { victim, objects } = world;
      const trace = `/traces/${await newTrace(world)}`;
      for (const path of ['/jobs', `/jobs/${objects.jobId}`, '/chat/v5/conversations', '/chat/v5/quota', trace]) {
        const answer = served(await victim.send(`GET ${path}`));
        must(answer.headers.get('cache-control') === 'no-store', `${path} may be stored: ${answer.headers.get('cache-control')}`);
        must(/authorization/i.test(answer.headers.get('vary') ?? ''), `${path} does not vary by Authorization`);
      }
    },
  ],
  'A memory of another tenant or user is not found by its ids': [
    'S13, S88',
    async ({ stranger, objects }) => {
      for (const operation of ['expand_node', 'delete_node', 'collapse_node'])
        refused(
          await stranger.send(`POST /memotree/${operation}`, {
            json: { nodeId: objects.nodeId },
            headers: { 'x-session-id': objects.session },
          }),
          [400, 404],
        );
      const view = served(await stranger.send('POST /memotree/render_view', { json: {}, headers: { 'x-session-id': objects.session } }));
      mustNotHold(view.text, objects.nodeId, "a stranger's view");
    },
  ],
  'A file opens by its signed link alone': [
    'S13, S44',
    async ({ nobody, stranger, objects: { filePath, fileId } }) => {
      const [path = '', query = ''] = filePath.split('?');
      const parameters = new URLSearchParams(query);
      const signature = parameters.get('signature') ?? '';
      const expires = parameters.get('expires') ?? '';
      const wrong = [
        '',
        `?expires=${expires}`,
        `?expires=${Number(expires) + 1}&signature=${signature}`,
        `?expires=${expires}&signature=${signature.slice(0, -1)}${signature.endsWith('A') ? 'B' : 'A'}`,
        `?expires=${expires}&signature=${signature}&expires=9999999999`,
        `?expires=${expires}&signature=`,
        `?expires=1&signature=${signature}`,
      ];
      for (const one of wrong) for (const client of [nobody, stranger]) refused(await client.send(`GET ${path}${one}`), [400, 403]);
      refused(await nobody.send(`GET /files/${fileId}x?${query}`), 403);
    },
  ],
  "A user's name cannot be written so that it is read as another tenant's user": [
    'finding 2',
    async ({ admin, agent, strangerTenant, newClient }) => {
      const ambiguous = `${strangerTenant.id}/team1`;
      const made = await admin.send('POST /keys', { json: { tenant_id: ambiguous, user_id: 'bob', tier: 'pro', scopes: ['tools:read'] } });
      if (made.status === 400) return;
      const bob = (await newClient()).with({ authorization: `Bearer ${as(made, z.looseObject({ key: z.string() })).key}` });
      const metrics = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };
      const { job_id } = as(served(await bob.send('POST /tools/calc_metrics?enable_cache=false', { json: metrics })), ran).metadata;
      clientError(await agent.with({ 'x-user-id': 'team1/bob' }).send(`GET /jobs/${job_id}`));
    },
  ],
  "A user's name cannot be that of a key": [
    'finding 2',
    async ({ agent, strangerTenant, newClient }) => {
      const key = await newClient({ tenant: strangerTenant, userId: null });
      const body = { json: { height_cm: 181, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' } };
      const { job_id } = as(served(await key.send('POST /tools/calc_metrics?enable_cache=false', body)), ran).metadata;
      served(await key.send(`GET /jobs/${job_id}`));
      const [, id = ''] = (key.headers['authorization'] ?? '').split('_');
      for (const name of [`key:${id}`, `%key:${id}`, `key%3A${id}`, `KEY:${id}`, `../${strangerTenant.id}/key:${id}`])
        clientError(await agent.with({ 'x-user-id': name }).send(`GET /jobs/${job_id}`));
    },
  ],
  "A caller's own trace id neither hides nor shows another's trace": [
    'finding 7',
    async (world) => {
      const { victim, neighbour, nobody } = world;
      const traceId = await newTrace(world);
      refused(await nobody.send('GET /tools', { headers: { 'x-trace-id': traceId } }), 401);
      served(await neighbour.send('GET /tools', { headers: { 'x-trace-id': traceId } }));
      served(await victim.send(`GET /traces/${traceId}`));
      notFound(await neighbour.send(`GET /traces/${traceId}`));
    },
  ],
});

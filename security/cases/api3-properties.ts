import { z } from 'zod';
import { must } from '#lib/testing';
import { casesIn } from '../case.js';
import { as, mustNotHold, refused, served } from '../expect.js';
import { makeKey } from '../world/credentials.js';

const metrics = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };
const hidden = {
  status: 'completed',
  tenantId: 'x',
  tenant_id: 'x',
  userId: 'x',
  result: {},
  attempts: 99,
  priority: 1,
  caller: {},
  scopes: ['*'],
};

export const propertyCases = casesIn('API3', {
  'Fields that are not declared are refused, one by one': [
    'S24',
    async ({ stranger }) => {
      for (const [name, value] of Object.entries(hidden))
        refused(await stranger.send('POST /tools/calc_metrics', { json: { ...metrics, [name]: value } }), 400);
    },
  ],
  'A key cannot be made with a hash, an id or a date of its own': [
    'S24',
    async ({ admin, system }) => {
      const wish = { tenant_id: system.tenant.id, tier: 'pro', scopes: ['tools:read'] };
      for (const more of [{ id: 'abc' }, { hash: 'x' }, { created_at: '2020-01-01T00:00:00Z' }, { revoked_at: null }])
        refused(await admin.send('POST /keys', { json: { ...wish, ...more } }), 400);
    },
  ],
  'A batch and a call by name take no field that the tool does not declare': [
    'S24',
    async ({ stranger }) => {
      refused(await stranger.send('POST /tools/call', { json: { name: 'calc_metrics', arguments: { ...metrics, tenant_id: 'x' } } }), 400);
      const answer = served(
        await stranger.send('POST /tools/batch', {
          json: { calls: [{ id: 1, name: 'calc_metrics', arguments: { ...metrics, caller: {} } }] },
        }),
      );
      must(answer.text.includes('INVALID_PARAMS'), 'the call in the batch was served');
    },
  ],
  'debug shows nothing in production': [
    'S25',
    async ({ victim }) => {
      for (const line of ['POST /tools/user_profile_lookup?debug=true', 'POST /tools/user_profile_lookup'])
        mustNotHold(
          served(await victim.send(line, { json: { user_id: 'user_001', debug: true } })).text,
          'debug_info',
          'an answer in production',
        );
      const json = { name: 'user_profile_lookup', arguments: { user_id: 'user_001' }, options: { debug: true } };
      mustNotHold(served(await victim.send('POST /tools/call', { json })).text, 'debug_info', 'an answer in production');
    },
  ],
  "Another user's profile is refused before it is looked for": [
    'S26',
    async ({ neighbour }) => {
      const known = refused(await neighbour.send('POST /tools/user_profile_lookup', { json: { user_id: 'user_001' } }), 403);
      const unknown = refused(await neighbour.send('POST /tools/user_profile_lookup', { json: { user_id: 'user_999' } }), 403);
      const code = z.looseObject({ error: z.looseObject({ code: z.string(), message: z.string() }) });
      must(as(known, code).error.message === as(unknown, code).error.message, 'the refusals tell whether the user exists');
    },
  ],
  'A Stripe account of another merchant is not found': [
    'S26, S88',
    async ({ neighbour, stranger }) => {
      for (const client of [neighbour, stranger])
        for (const tool of ['stripe_get_account_status', 'express_dashboard_login_link'])
          refused(await client.send(`POST /tools/${tool}`, { json: { stripe_account_id: 'acct_ok' } }), [403, 404]);
    },
  ],
  'A merchant row is given by no foreign merchant or session id': [
    'S26',
    async ({ neighbour, stranger }) => {
      for (const client of [neighbour, stranger])
        for (const json of [
          { merchant_id: 'm_onboarded' },
          { user_session_id: 'sess_ok' },
          { merchant_id: 'm_onboarded', user_session_id: 'sess_other' },
        ])
          refused(await client.send('POST /tools/supabase_get_merchant_row', { json }), [403, 404]);
    },
  ],
  'A merchant row holds no personal data': [
    'S25, S41',
    async ({ victim }) => {
      const { text } = served(await victim.send('POST /tools/supabase_get_merchant_row', { json: { merchant_id: 'm_onboarded' } }));
      for (const secret of ['Legal Name of', '@personal.example', '+1 555 0100', '6789']) mustNotHold(text, secret, 'the merchant row');
    },
  ],
  'Parameters are texts and numbers, never operators of a query': [
    'S49',
    async ({ stranger }) => {
      for (const user_id of [{ not: null }, { contains: '' }, { startsWith: 'user' }, ['user_001'], { $ne: '' }, true])
        refused(await stranger.send('POST /tools/user_profile_lookup', { json: { user_id } }), 400);
      for (const user_id of ["' OR '1'='1", "user_001'; DROP TABLE profile;--", 'user_001/*'])
        refused(await stranger.send('POST /tools/user_profile_lookup', { json: { user_id } }), [400, 403]);
    },
  ],
  'An error tells nothing of files, stores or packages': [
    'S25',
    async ({ stranger, nobody }) => {
      // The rule of all answers looks for traces of the inside.
      for (const line of ['GET /nothing', 'POST /tools/nothing', 'GET /jobs/x', 'GET /docs/migrations/nothing', 'POST /tools/calc_metrics'])
        for (const client of [stranger, nobody]) await client.send(line, { ...(line.startsWith('POST') && { body: '{"a":' }) });
    },
  ],
  'A made key holds no scope that was not asked for': [
    'S24',
    async (world) => {
      const { client } = await makeKey(world, { scopes: ['tools:read'] });
      refused(await client.send('GET /keys'), 403);
      refused(await client.send('POST /memotree/create_node', { json: { title: 'x', content: 'y' } }), 403);
    },
  ],
});

// Policies decide what may be called: they are made by the administrators of their tenant, and felt by its callers alone.
import { randomUUID } from 'node:crypto';
import { casesIn } from '../case.js';
import { mustNotHold, notFound, refused, served } from '../expect.js';
import type { Client } from '../world/client.js';

const scopes = ['tools:read', 'tools:write', 'tenant:admin'];
/** Other cases call the tool for the same tenant, with other weights. */
const weight = 71.0625;
const metrics = { height_cm: 175, weight_kg: weight, age: 30, gender: 'male', activity_level: 'moderate' };
const called = async (client: Client) => client.send('POST /tools/calc_metrics', { json: metrics });

export const policyCases = casesIn('API5', {
  'A policy of one tenant is felt by no other, and every door of its own feels it': [
    'S11, S14',
    async ({ newClient, strangerTenant, victim }) => {
      const admin = await newClient({ tenant: strangerTenant, userId: null, scopes });
      const name = `p-${randomUUID()}`.slice(0, 20);
      const json = { when: `tool.name == "calc_metrics" && args.weight_kg == ${weight}`, then: 'deny', message: 'stopped-by-policy' };
      served(await admin.send(`PUT /policies/${name}`, { json }));
      try {
        refused(await called(admin), 403, 'PERMISSION_DENIED');
        const answers = [
          await admin.send('POST /aurawell/calc_metrics', { json: metrics }),
          await admin.send('POST /tools/calc_metrics/sse', { json: metrics }),
          await admin.send('POST /tools/batch', { json: { calls: [{ id: 1, name: 'calc_metrics', arguments: metrics }] } }),
          await admin.send('POST /tools/CalcMetrics', { json: metrics }),
          await admin.send('POST /tools/calc_metrics@1', { json: metrics }),
          await admin.send('POST /tools/calc_metrics', { json: metrics, headers: { prefer: 'respond-async' } }),
        ];
        for (const answer of answers) mustNotHold(answer.text, '"bmi"', 'the answer of a call that a policy denies');
        served(await called(victim));
        notFound(await (await newClient({ userId: null, scopes })).send(`GET /policies/${name}`));
      } finally {
        served(await admin.send(`DELETE /policies/${name}`));
      }
    },
  ],
  'A policy that would explode is refused': [
    'S35, S93',
    async ({ newClient, strangerTenant }) => {
      const admin = await newClient({ tenant: strangerTenant, userId: null, scopes });
      for (const when of [
        'args.text.matches("(a+)+$")',
        `${'('.repeat(500)}true${')'.repeat(500)}`,
        'args.a.all(x, args.a.all(y, args.a.all(z, x == y && y == z)))',
        'cel.bind(a, args.l + args.l, cel.bind(b, a + a, b.size() > 1))',
        'true || '.repeat(250).concat('true'),
        'process.exit(1)',
        '(() => { while (true) {} })()',
      ])
        refused(await admin.send('PUT /policies/explodes', { json: { when, then: 'deny' } }), 400, 'INVALID_PARAMS');
    },
  ],
  'Who may not administer the tenant makes no policy, and lifts none': [
    'S11, S93',
    async ({ newClient }) => {
      const user = await newClient({ scopes: ['tools:read', 'tools:write', 'approvals', 'schedules'] });
      const json = { when: 'false', then: 'deny' };
      refused(await user.send('PUT /policies/mine', { json }), 403, 'PERMISSION_DENIED');
      refused(await user.send('DELETE /policies/victims'), 403, 'PERMISSION_DENIED');
      refused(await user.send('POST /policies/test', { json: { tool: 'calc_metrics', arguments: metrics } }), 403, 'PERMISSION_DENIED');
      refused(await user.send('GET /policies'), 403, 'PERMISSION_DENIED');
    },
  ],
});

// Pauses stop calls: of their own tenant for its administrators, of everybody for the operator alone.
import { randomUUID } from 'node:crypto';
import { casesIn } from '../case.js';
import { notFound, refused, served } from '../expect.js';
import type { Client } from '../world/client.js';

const scopes = ['tools:read', 'tools:write', 'tenant:admin'];
const metrics = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };
const called = async (client: Client) => client.send('POST /tools/calc_metrics', { json: metrics });

export const pauseCases = casesIn('API4', {
  'A pause of one tenant is felt by no other, and every door of its own feels it': [
    'S11, S14, S35',
    async ({ newClient, newTenant, victim }) => {
      const admin = await newClient({ tenant: await newTenant(), userId: null, scopes });
      const name = `p-${randomUUID()}`.slice(0, 20);
      served(await admin.send(`PUT /pauses/${name}`, { json: { tool: 'calc_metrics', reason: 'x', refuse: true } }));
      try {
        for (const path of ['/tools/calc_metrics', '/tools/CalcMetrics', '/tools/calc_metrics@2'])
          refused(await admin.send(`POST ${path}`, { json: { ...metrics, age: 31 }, allows: [503] }), 503, 'OVERLOADED');
        const later = await admin.send('POST /tools/calc_metrics', { json: metrics, headers: { prefer: 'respond-async' }, allows: [503] });
        refused(later, 503, 'OVERLOADED');
        served(await called(victim));
        notFound(await (await newClient({ userId: null, scopes })).send(`GET /pauses/${name}`));
      } finally {
        served(await admin.send(`DELETE /pauses/${name}`));
      }
    },
  ],
  'Who may not administer the tenant pauses nothing, and an administrator no other tenant': [
    'S11, S93',
    async ({ newClient, strangerTenant, victim }) => {
      const json = { tool: 'calc_metrics', reason: 'x', refuse: true };
      const user = await newClient({ scopes: ['tools:read', 'tools:write', 'approvals', 'schedules'] });
      refused(await user.send('PUT /pauses/mine', { json }), 403, 'PERMISSION_DENIED');
      refused(await user.send('DELETE /pauses/victims'), 403, 'PERMISSION_DENIED');
      refused(await user.send('GET /pauses'), 403, 'PERMISSION_DENIED');
      const admin = await newClient({ tenant: strangerTenant, userId: null, scopes });
      for (const tenant of ['*', '', 'demo'])
        refused(await admin.send('PUT /pauses/theirs', { json: { ...json, tenant } }), 400, 'INVALID_PARAMS');
      served(await called(victim));
    },
  ],
});

// Budgets decide what may be spent: they are made by the administrators of their tenant, and felt by its callers alone.
import { randomUUID } from 'node:crypto';
import { casesIn } from '../case.js';
import { notFound, refused, served } from '../expect.js';
import type { Client } from '../world/client.js';

const scopes = ['tools:read', 'tools:write', 'tenant:admin'];
const metrics = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };
const called = async (client: Client) => client.send('POST /tools/calc_metrics', { json: metrics });

export const budgetCases = casesIn('API4', {
  'A budget of one tenant is felt by no other, and every door of its own feels it': [
    'S11, S14, S35',
    async ({ newClient, newTenant, victim }) => {
      const admin = await newClient({ tenant: await newTenant(), userId: null, scopes });
      const name = `b-${randomUUID()}`.slice(0, 20);
      served(await admin.send(`PUT /budgets/${name}`, { json: { period: 'day', limit_calls: 0, tool: 'calc_metrics' } }));
      try {
        for (const path of ['/tools/calc_metrics', '/tools/CalcMetrics', '/tools/calc_metrics@2'])
          refused(await admin.send(`POST ${path}`, { json: metrics }), 429, 'QUOTA_EXCEEDED');
        refused(
          await admin.send('POST /tools/calc_metrics', { json: metrics, headers: { prefer: 'respond-async' } }),
          429,
          'QUOTA_EXCEEDED',
        );
        served(await called(victim));
        notFound(await (await newClient({ userId: null, scopes })).send(`GET /budgets/${name}`));
      } finally {
        served(await admin.send(`DELETE /budgets/${name}`));
      }
    },
  ],
  'Who may not administer the tenant makes no budget, and lifts none': [
    'S11, S93',
    async ({ newClient, strangerTenant }) => {
      const user = await newClient({ scopes: ['tools:read', 'tools:write', 'approvals', 'schedules'] });
      const json = { period: 'day', limit_calls: 1_000_000 };
      refused(await user.send('PUT /budgets/mine', { json }), 403, 'PERMISSION_DENIED');
      refused(await user.send('DELETE /budgets/victims'), 403, 'PERMISSION_DENIED');
      refused(await user.send('GET /budgets'), 403, 'PERMISSION_DENIED');
      const admin = await newClient({ userId: null, scopes });
      refused(await admin.send('PUT /budgets/theirs', { json: { ...json, tenant: strangerTenant } }), 400, 'INVALID_PARAMS');
    },
  ],
});

// Named sets narrow what agents see: they are made by the administrators of their tenant, are views of no other, and give no rights.
import { randomUUID } from 'node:crypto';
import { casesIn } from '../case.js';
import { mustNotHold, notFound, refused, served } from '../expect.js';

const scopes = ['tools:read', 'tools:write', 'tenant:admin'];
const metrics = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
const newName = (): string => `s-${randomUUID()}`.slice(0, 20);

export const toolsetCases = casesIn('API5', {
  'A set of tools of one tenant is none for another': [
    'S11, S14',
    async ({ newClient, tenantAdmin, strangerTenant }) => {
      const stranger = await newClient({ tenant: strangerTenant, userId: null, scopes });
      // Names are a tenant's own: the stranger may have a set of any name.
      const name = newName();
      const json = { tools: ['calc_metrics'], rename: { calc_metrics: 'victims_metrics' } };
      served(await tenantAdmin.send(`PUT /toolsets/${name}`, { json }));
      try {
        for (const path of [`/tools?set=${name}`, `/tools/victims_metrics?set=${name}`, `/toolsets/${name}`, `/toolsets/${name}/preview`])
          notFound(await stranger.send(`GET ${path}`));
        notFound(await stranger.send(`POST /tools/victims_metrics?set=${name}`, { json: metrics }));
        mustNotHold((await stranger.send(`POST /mcp?set=${name}`, { json: list })).text, 'victims_metrics', 'a list of tools');
        const key = { tenant_id: strangerTenant.id, tier: 'free', scopes: ['tools:read'], toolset: name };
        refused(await stranger.send('POST /keys', { json: key }), 400, 'INVALID_PARAMS');
      } finally {
        served(await tenantAdmin.send(`DELETE /toolsets/${name}`));
      }
    },
  ],
  'A key for a set calls nothing beside it, at every door, and cannot leave it': [
    'S11, S14, S93',
    async ({ newClient, strangerTenant }) => {
      const admin = await newClient({ tenant: strangerTenant, userId: null, scopes });
      const [name, wide] = [newName(), newName()];
      served(await admin.send(`PUT /toolsets/${name}`, { json: { tools: ['search_*'] } }));
      served(await admin.send(`PUT /toolsets/${wide}`, { json: { tools: ['*'], rename: { calc_metrics: 'search_metrics' } } }));
      const bound = await newClient({ tenant: strangerTenant, userId: null, scopes, toolset: name });
      const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'calc_metrics', arguments: metrics } };
      const answers = [
        await bound.send('POST /tools/calc_metrics', { json: metrics }),
        await bound.send('POST /tools/CalcMetrics', { json: metrics }),
        await bound.send('POST /tools/calc_metrics@2', { json: metrics }),
        await bound.send('POST /tools/calc_metrics/sse', { json: metrics }),
        await bound.send('POST /aurawell/calc_metrics', { json: metrics }),
        await bound.send('POST /tools/batch', { json: { calls: [{ id: 1, name: 'calc_metrics', arguments: metrics }] } }),
        await bound.send('POST /mcp', { json: call }),
        await bound.send(`POST /mcp?set=${wide}`, { json: { ...call, params: { ...call.params, name: 'search_metrics' } } }),
        await bound.send(`POST /tools/search_metrics?set=${wide}`, { json: metrics }),
        await bound.send('POST /tools/calc_metrics', { json: metrics, headers: { prefer: 'respond-async' } }),
      ];
      for (const answer of answers) mustNotHold(answer.text, /"bmi"|"job_id": ?"inv_profile/, 'the answer of a tool beside the set');
      const key = { tenant_id: strangerTenant.id, tier: 'free', scopes: ['tools:read'], toolset: wide };
      refused(await bound.send('POST /keys', { json: key }), 403, 'PERMISSION_DENIED');
      refused(await admin.send(`DELETE /toolsets/${name}`), 409, 'CONFLICT');
    },
  ],
  'A set gives no right: a tool that a caller may not call is refused within it': [
    'S11, S93',
    async ({ newClient, strangerTenant }) => {
      const admin = await newClient({ tenant: strangerTenant, userId: null, scopes });
      const name = newName();
      served(await admin.send(`PUT /toolsets/${name}`, { json: { tools: ['create_node'], rename: { create_node: 'get_weather' } } }));
      try {
        const reader = await newClient({ tenant: strangerTenant, scopes: ['tools:read'] });
        const json = { title: 'x', content: 'y' };
        refused(await reader.send(`POST /tools/get_weather?set=${name}`, { json }), 403, 'PERMISSION_DENIED');
        refused(await reader.send(`PUT /toolsets/${name}`, { json: { tools: ['*'] } }), 403, 'PERMISSION_DENIED');
        refused(await reader.send(`DELETE /toolsets/${name}`), 403, 'PERMISSION_DENIED');
      } finally {
        served(await admin.send(`DELETE /toolsets/${name}`));
      }
    },
  ],
});

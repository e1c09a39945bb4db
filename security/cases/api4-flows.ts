// Flows make calls wait for each other: of their own tenant for its administrators, of everybody for the operator alone.
import { randomUUID } from 'node:crypto';
import { Broken } from '#lib/testing';
import { casesIn } from '../case.js';
import { notFound, refused, served } from '../expect.js';
import type { Client } from '../world/client.js';

const scopes = ['tools:read', 'tools:write', 'tenant:admin'];
const metrics = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };
const called = async (client: Client, age: number) => client.send('POST /tools/calc_metrics', { json: { ...metrics, age } });
const newName = () => `f-${randomUUID()}`.slice(0, 20);

export const lineCases = casesIn('API4', {
  'A flow of one tenant is felt by no other': [
    'S11, S14, S35',
    async ({ newClient, newTenant, victim }) => {
      const admin = await newClient({ tenant: await newTenant(), userId: null, scopes });
      const name = newName();
      // The first call takes the only beginning of an hour.
      served(await admin.send(`PUT /flows/${name}`, { json: { tool: 'calc_metrics', rate: { max: 1, per_ms: 3_600_000 } } }));
      try {
        served(await called(admin, 41));
        const json = { ...metrics, age: 42 };
        const waiting = served(await admin.send('POST /tools/calc_metrics', { json, headers: { prefer: 'respond-async' } }));
        if (!JSON.stringify(waiting.body).includes('waits for')) throw new Broken('the second call does not wait');
        if (!JSON.stringify(served(await admin.send('GET /flow-lines')).body).includes(name)) throw new Broken('its own line is not told');
        for (const age of [43, 44]) served(await called(victim, age));
        const other = await newClient({ userId: null, scopes });
        notFound(await other.send(`GET /flows/${name}`));
        notFound(await other.send(`DELETE /flows/${name}`));
        const theirs = served(await other.send(`GET /flow-lines?flow=${name}`));
        if (!JSON.stringify(theirs.body).includes('"lines":[]')) throw new Broken('another tenant sees the line');
      } finally {
        served(await admin.send(`DELETE /flows/${name}`));
      }
    },
  ],
  'Who may not administer the tenant makes no flow, and an administrator none for another tenant': [
    'S11, S93',
    async ({ newClient, strangerTenant }) => {
      const json = { tool: 'calc_metrics', concurrency: 1 };
      const user = await newClient({ scopes: ['tools:read', 'tools:write', 'approvals', 'schedules'] });
      refused(await user.send('PUT /flows/mine', { json }), 403, 'PERMISSION_DENIED');
      refused(await user.send('DELETE /flows/victims'), 403, 'PERMISSION_DENIED');
      refused(await user.send('GET /flows'), 403, 'PERMISSION_DENIED');
      refused(await user.send('GET /flow-lines'), 403, 'PERMISSION_DENIED');
      const admin = await newClient({ tenant: strangerTenant, userId: null, scopes });
      for (const field of ['tenant', 'owner', 'by'])
        refused(await admin.send('PUT /flows/theirs', { json: { ...json, [field]: 'demo' } }), 400, 'INVALID_PARAMS');
    },
  ],
  'A key of a flow is no program, is bounded, and takes nobody the time': [
    'S26, S35',
    async ({ newClient, strangerTenant, victim }) => {
      const admin = await newClient({ tenant: strangerTenant, userId: null, scopes });
      const put = async (key: string) => admin.send(`PUT /flows/${newName()}`, { json: { tool: 'calc_metrics', concurrency: 1, key } });
      const dear = [
        "args.gender.matches('(a+)+$')",
        'cel.bind(a, args.gender + args.gender, a + a)',
        '[1,2].map(a, [1,2].map(b, a + b))[0]',
        `${'('.repeat(60)}1${')'.repeat(60)}`,
        Array.from({ length: 400 }, () => 'args.age').join(' + '),
        'x'.repeat(2_001),
        'process.exit()',
        'args.constructor.constructor("return process")()',
        '{"a": 1}',
      ];
      for (const key of dear) refused(await put(key), 400, 'INVALID_PARAMS');
      served(await called(victim, 45));
    },
  ],
});

// The lines of flows: who is told of which, of a tool that runs as long as the test wants.
import { expect, test } from '@jest/globals';
import { userScopes, waitingLineList } from '#lib/contracts';
import { acceptedShape, eventually, givenStores, HttpCaller, startTimeoutMs, Tenant } from '#lib/testing';
import { handle } from '#lib/serve';
import { contractOf } from '../serving/test-contract.js';
import { startOwnWorker } from '../serving/test-own-worker.js';
import { TestHttpGateway } from '../test-http-gateway.js';

const within = { withinMs: 30_000 };

test(
  'lines are told, the longest first, to who may know them',
  async () => {
    await using gateway = await TestHttpGateway.start();
    const { tenant, port } = gateway;
    const at = (key: string) => new HttpCaller(`http://127.0.0.1:${port}`, key);
    const user = at(await tenant.key({ tier: 'vip' }));
    const admin = at(await tenant.key({ userId: null, tier: 'vip', scopes: ['tenant:admin', ...userScopes] }));
    const operator = at(await tenant.key({ userId: null, tier: 'vip', scopes: ['admin', ...userScopes] }));
    const held = Promise.withResolvers<void>();
    const running = new Map<string, number>();
    const name = 'held_tool';
    const tool = handle(contractOf(name, { flow: { key: 'args.text', concurrency: 3 } }), async ({ text }) => {
      running.set(text, (running.get(text) ?? 0) + 1);
      await held.promise;
      return { said: text };
    });
    const key = await tenant.key({ userId: null, scopes: ['tools:serve'], approvesTools: true });
    const worker = await startOwnWorker(gateway, { key, tool, concurrency: 50 });
    const put = async (by: HttpCaller, flow: string, bounds: object) =>
      by.request(`/flows/${flow}`, { method: 'PUT', json: { tool: name, key: 'args.text', ...bounds } });
    const begun = async (text: string) =>
      (await user.post(`/tools/${name}`, { text }, { prefer: 'respond-async' })).as(acceptedShape).job_id;
    const lines = async (by: HttpCaller, query = '') => (await by.get(`/flow-lines${query}`)).as(waitingLineList);
    try {
      expect(await lines(operator)).toEqual({ lines: [], total: 0 });
      await put(admin, 'mine', { concurrency: 1 });
      await put(operator, 'all', { concurrency: 2, rate: { max: 100, per_ms: 1_000 } });
      const before = Date.now();
      for (const text of ['17', '18']) await begun(text);
      await eventually(() => running.get('17') === 1 && running.get('18') === 1, within);
      const next = await begun('18');
      for (const text of ['18', '17', '18']) await begun(text);
      const mine = { flow: 'mine', by: 'tenant', concurrency: 1, rate: null, running: 1 };
      const told = await lines(admin);
      const longest = { ...mine, of: 'text 18', waiting: 3, first: next };
      expect(told).toMatchObject({ lines: [longest, { ...mine, of: 'text 17', waiting: 1 }], total: 2 });
      const since = Date.parse(told.lines[0]?.since ?? '');
      expect(since >= before - 1_000 && since <= Date.now() + 1_000).toBe(true);
      expect(await lines(admin, '?limit=1')).toMatchObject({ lines: [{ of: 'text 18' }], total: 2 });
      expect(await lines(admin, '?flow=nowhere')).toEqual({ lines: [], total: 0 });
      await admin.delete('/flows/mine');
      await eventually(() => running.get('18') === 2, within);
      expect(await lines(operator, '?flow=all')).toMatchObject({
        lines: [{ by: 'operator', of: 'text 18', running: 2, waiting: 2, concurrency: 2, rate: { max: 100, per_ms: 1_000 } }],
      });
      expect((await lines(admin)).lines).toEqual([]);
      await operator.delete('/flows/all');
      await eventually(async () => (await lines(admin)).lines[0]?.flow === name, within);
      expect(await lines(admin)).toMatchObject({ lines: [{ by: 'contract', of: 'text 18', running: 3, waiting: 1 }], total: 1 });
      await using stranger = await Tenant.create(givenStores().databaseUrl);
      const theirs = at(await stranger.key({ userId: null, scopes: ['tenant:admin', ...userScopes] }));
      expect(await lines(theirs)).toEqual({ lines: [], total: 0 });
      expect((await user.get('/flow-lines')).status).toBe(403);
      expect((await admin.get('/flow-lines?limit=101')).status).toBe(400);
      held.resolve();
      await eventually(async () => (await lines(admin)).total === 0, within);
    } finally {
      held.resolve();
      await worker.stop().catch(() => undefined);
      await operator.delete('/flows/all');
    }
  },
  startTimeoutMs,
);

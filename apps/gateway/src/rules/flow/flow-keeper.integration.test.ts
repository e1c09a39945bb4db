import { expect, jest, test } from '@jest/globals';
import { eventually, HttpCaller } from '#lib/testing';
import { Stores } from '../../stores.js';
import { TestHttpGateway } from '../../test-http-gateway.js';
import { CallFlows } from './call-flows.js';
import { FlowDirectory } from './flow-directory.js';
import { FlowKeeper } from './flow-keeper.js';

test('a gateway asks Redis for one key a look, until somebody has made a flow', async () => {
  await using gateway = await TestHttpGateway.start();
  const [keeper, { redis, keys }] = [gateway.app.get(FlowKeeper), gateway.app.get(Stores)];
  const looked = async () => {
    const sent = jest.spyOn(redis, 'sendCommand');
    await keeper.look();
    const names = sent.mock.calls.map(([{ name }]) => name);
    sent.mockRestore();
    return names;
  };
  // Others of the gateway may ask something at the same moment.
  await eventually(async () => (await looked()).join() === 'exists', { what: 'a look with one command' });
  const admin = new HttpCaller(`http://127.0.0.1:${gateway.port}`, await gateway.tenant.key({ userId: null, scopes: ['tenant:admin'] }));
  expect((await admin.request('/flows/one', { method: 'PUT', json: { concurrency: 1 } })).status).toBe(201);
  expect((await looked()).length).toBeGreaterThan(1);
  expect(await redis.exists(keys.flowsPassed())).toBe(1);
}, 60_000);

test('places of calls that were never accepted are given up within seconds, one after the other', async () => {
  await using gateway = await TestHttpGateway.start();
  const { flowLines: lines } = gateway.app.get(Stores);
  const admin = new HttpCaller(`http://127.0.0.1:${gateway.port}`, await gateway.tenant.key({ userId: null, scopes: ['tenant:admin'] }));
  await admin.request('/flows/one', { method: 'PUT', json: { concurrency: 1 } });
  const [flow] = gateway.app.get(FlowDirectory).all;
  if (!flow) throw new Error('there is no flow');
  const line = { line: `${flow.id}/left`, bounds: flow.bounds };
  const calls = Array.from({ length: 9 }, (_, at) => `inv_profile_${String(at).padStart(32, '0')}`);
  for (const jobId of calls) await lines.enter({ jobId, tenant: 'one' }, [line]);
  expect(await lines.waiting()).toMatchObject([{ calls: 8 }]);
  // The first ends; the gateway that asked for the others has died before it wrote their records.
  await gateway.app.get(CallFlows).leave(calls[0] ?? '');
  await eventually(async () => (await lines.waiting()).length === 0, { withinMs: 20_000, what: 'an empty line' });
}, 60_000);

import { expect, jest, test } from '@jest/globals';
import { HttpCaller } from '#lib/testing';
import { Stores } from '../stores.js';
import { TestHttpGateway } from '../test-http-gateway.js';
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
  expect(await looked()).toEqual(['exists']);
  const admin = new HttpCaller(`http://127.0.0.1:${gateway.port}`, await gateway.tenant.key({ userId: null, scopes: ['tenant:admin'] }));
  expect((await admin.request('/flows/one', { method: 'PUT', json: { concurrency: 1 } })).status).toBe(201);
  expect((await looked()).length).toBeGreaterThan(1);
  expect(await redis.exists(keys.flowsPassed())).toBe(1);
}, 60_000);

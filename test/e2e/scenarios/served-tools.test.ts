// Workers of a tenant at two gateways: what is killed, cut off or sent the other way round loses nothing and doubles no effect.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { defineTool, toServedTool } from '#lib/contracts';
import {
  acceptedShape,
  eventually,
  givenStores,
  HttpCaller,
  jobShape,
  minuteMs,
  RawWorker,
  startSystem,
  startTimeoutMs,
  Tenant,
  type System,
} from '#lib/testing';
import { inProcess } from '../in-process.js';

describe('tools that a tenant serves', () => {
  let system: System;
  let user: HttpCaller;
  let key: string;
  let urls: readonly string[];

  beforeAll(async () => {
    system = await startSystem({ inProcess, apart: ['gateway 2'], gateways: 2, workers: 0 });
    user = await system.caller();
    key = await system.tenant.key({ userId: null, scopes: ['tools:serve'], approvesTools: true });
    urls = system.gateways.map(({ url }) => url);
  }, startTimeoutMs);
  afterAll(async () => system?.[Symbol.asyncDispose]());

  const contractOf = (name: string) =>
    defineTool({
      name,
      version: '1.0.0',
      title: 'Order',
      description: 'Order one thing. Every order is an effect.',
      domain: 'own-sales',
      effect: 'write',
      input: z.strictObject({ thing: z.string().describe('What is ordered.') }),
      output: z.strictObject({ number: z.string() }),
      errors: {},
      timeoutMs: 30_000,
      estimatedTokens: 10,
      examples: [{ input: { thing: 'a' }, output: { number: '1' } }],
    });
  const connect = async (name: string, gateway: number, concurrency = 4) =>
    RawWorker.connect({ url: urls[gateway] ?? '', key, concurrency, tools: [toServedTool(contractOf(name))] });
  const order = async (name: string, gateway = 0) =>
    (await user.at(urls[gateway] ?? '').post(`/tools/${name}`, { thing: 'book' }, { prefer: 'respond-async' })).as(acceptedShape).job_id;
  const ended = async (jobId: string, gateway = 1) => (await user.at(urls[gateway] ?? '').get(`/jobs/${jobId}?wait=60`)).as(jobShape);
  const done = (attempt: string, number: string) => ({ type: 'done', attempt, data: { number } });
  const isListed = async (name: string, gateway: number, caller = user) =>
    (await caller.at(urls[gateway] ?? '').get('/tools')).text.includes(`"${name}"`);

  test('are called through any gateway, and seen by their tenant alone', async () => {
    const worker = await connect('order_here', 0);
    await eventually(() => isListed('order_here', 1), { what: 'the tool at the other gateway' });
    const jobId = await order('order_here', 1);
    const { attempt } = await worker.nextAttempt();
    await worker.send([done(attempt, '1')]);
    expect(await ended(jobId)).toMatchObject({ state: 'completed', result: { data: { number: '1' } } });
    const listed = await user.post(
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
      { accept: 'application/json, text/event-stream' },
    );
    expect(listed.text).toContain('order_here');
    const called = user.post(
      '/mcp',
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'order_here', arguments: { thing: 'pen' } } },
      { accept: 'application/json, text/event-stream' },
    );
    await worker.send([done((await worker.nextAttempt()).attempt, 'by MCP')]);
    expect((await called).text).toContain('by MCP');
    await using other = await startStranger(system);
    expect(await isListed('order_here', 0, other.caller)).toBe(false);
    expect((await other.caller.post('/tools/order_here', { thing: 'x' })).status).toBe(404);
    expect((await other.caller.get(`/jobs/${jobId}`)).status).toBe(404);
    worker.cut();
  });

  test('take results that a worker sends to another gateway than its own', async () => {
    const worker = await connect('order_there', 0);
    const jobId = await order('order_there');
    const { attempt } = await worker.nextAttempt();
    const sent = await worker.send([done(attempt, '2')], { url: urls[1] ?? '' });
    expect(sent.status).toBe(202);
    expect(await worker.next('settled')).toEqual({ attempts: [attempt] });
    expect(await ended(jobId)).toMatchObject({ state: 'completed', result: { data: { number: '2' } } });
    worker.cut();
  });

  test('run again elsewhere, under one effect key, when the worker is cut off', async () => {
    const worker = await connect('order_twice', 0, 1);
    const jobId = await order('order_twice');
    const first = await worker.nextAttempt();
    const second = await connect('order_twice', 1, 1);
    worker.cut();
    const again = await second.nextAttempt();
    expect(again.effect_key).toBe(first.effect_key);
    await second.send([done(again.attempt, '3')]);
    expect(await ended(jobId)).toMatchObject({ state: 'completed', result: { data: { number: '3' } } });
    second.cut();
  });

  test('stay for half a minute after their last worker, and then a call of them is refused at once, also one that waits', async () => {
    const contract = toServedTool({ ...contractOf('order_away'), timeoutMs: 4 * minuteMs });
    const worker = await RawWorker.connect({ url: urls[0] ?? '', key, tools: [contract] });
    await eventually(() => isListed('order_away', 1), { what: 'the tool at the other gateway' });
    worker.cut();
    const waiting = await order('order_away');
    expect([await isListed('order_away', 0), await isListed('order_away', 1)]).toEqual([true, true]);
    // Clocks that differ by less than 100 s from that of Redis are corrected.
    await system.clock.advance(2 * minuteMs);
    for (const gateway of [0, 1]) {
      await eventually(async () => !(await isListed('order_away', gateway)), { withinMs: 30_000, what: 'its end in the lists' });
      expect(await user.at(urls[gateway] ?? '').post('/tools/order_away', { thing: 'x' })).toMatchObject({
        status: 503,
        body: { error: { code: 'NETWORK_ERROR', message: expect.stringContaining('No worker serves') } },
      });
    }
    expect(await ended(waiting)).toMatchObject({ state: 'failed', result: { error: { code: 'NETWORK_ERROR' } } });
  }, 90_000);

  test('run again when the gateway is killed that held the connection', async () => {
    const worker = await connect('order_safe', 1, 1);
    await eventually(() => isListed('order_safe', 0), { what: 'the tool at the other gateway' });
    const jobId = await order('order_safe');
    const first = await worker.nextAttempt();
    const second = await connect('order_safe', 0, 1);
    await system.gateways[1]?.kill();
    await system.redis.expireLocks();
    const again = await second.nextAttempt();
    expect(again.effect_key).toBe(first.effect_key);
    await second.send([done(again.attempt, '4')]);
    expect(await ended(jobId, 0)).toMatchObject({ state: 'completed', result: { data: { number: '4' } } });
    second.cut();
  }, 120_000);

  test('run again at once when their worker is at the gateway that follows a killed one', async () => {
    const [, gateway] = system.gateways;
    await gateway?.start();
    const worker = await connect('order_next', 1, 1);
    await eventually(() => isListed('order_next', 0), { what: 'the tool at the other gateway' });
    const jobId = await order('order_next');
    const first = await worker.nextAttempt();
    await system.redis.stretchLocks(10 * minuteMs);
    await gateway?.kill();
    await gateway?.start();
    const second = await connect('order_next', 1, 1);
    const again = await second.nextAttempt();
    expect(again.effect_key).toBe(first.effect_key);
    await second.send([done(again.attempt, '5')]);
    expect(await ended(jobId)).toMatchObject({ state: 'completed', attempts_made: 2, result: { data: { number: '5' } } });
    second.cut();
  }, 120_000);
});

/** A caller of another tenant. */
async function startStranger(system: System): Promise<AsyncDisposable & { readonly caller: HttpCaller }> {
  const tenant = await Tenant.create(givenStores().databaseUrl);
  return {
    caller: new HttpCaller(system.gateway.url, await tenant.key()),
    [Symbol.asyncDispose]: async () => tenant[Symbol.asyncDispose](),
  };
}

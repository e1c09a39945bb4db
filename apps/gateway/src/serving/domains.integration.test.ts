// What a domain of a tenant's workers costs a gateway: something while it has workers, and nothing afterwards.
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { servedDomainName, toServedTool } from '#lib/contracts';
import { serve, handle, type ServedWorker } from '#lib/serve';
import { eventually, RawWorker } from '#lib/testing';
import { Stores } from '../stores.js';
import { TestHttpGateway } from '../test-http-gateway.js';
import { ServingHub } from './serving-hub.js';
import { contractOf } from './test-contract.js';

let gateway: TestHttpGateway;
let stores: Stores;
let hub: ServingHub;
let url: string;
let key: string;
const workers: ServedWorker[] = [];
beforeAll(async () => {
  gateway = await TestHttpGateway.start({ NODE_ENV: 'test', SERVED_DOMAINS_PER_TENANT: '50' });
  stores = gateway.app.get(Stores);
  hub = gateway.app.get(ServingHub);
  url = `http://127.0.0.1:${gateway.port}`;
  key = await gateway.tenant.key({ userId: null, scopes: ['tools:serve'], approvesTools: true });
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop().catch(() => undefined)));
});
afterAll(async () => gateway[Symbol.asyncDispose]());

const minutes = (count: number) => performance.now() + count * 60_000;
const call = async (name: string) => {
  const { status, body } = await gateway.post(`/tools/${name}`, { text: 'hello' });
  return { status, body: JSON.parse(body) };
};

/** As if nobody had said anything of these workers for so long that their grace is over. */
async function graceIsOver(): Promise<void> {
  const { redis, keys, servedDirectory } = stores;
  const fields = await redis.hkeys(keys.servedTools());
  if (fields.length > 0) await redis.hset(keys.servedTools(), Object.fromEntries(fields.map((field) => [field, 1])));
  await servedDirectory.refresh('presence');
}

/** What the gateway holds for domains of tenants. */
async function held() {
  const { redis, keys, queues, servedDirectory } = stores;
  const channels = await redis.pubsub('CHANNELS', keys.stops('own-*').replace(/:stops$/, ':*'));
  const own = queues.all().filter(({ name }) => name.startsWith('own-'));
  return { queues: hub.queueCount, board: own.length, channels: [channels].flat().length, lookedAfter: servedDirectory.queues.length };
}
const nothing = { queues: 0, board: 0, channels: 0, lookedAfter: 0 };

describe('a domain', () => {
  test('without a worker is dropped some minutes after its last one, with all that was held for it', async () => {
    const names = Array.from({ length: 20 }, (_, n) => `tool_of_${n}`);
    const connect = async (name: string, n: number) =>
      RawWorker.connect({ url, key, domain: `d${n}`, tools: [toServedTool(contractOf(name))] });
    const connected = await Promise.all(names.map(connect));
    await eventually(async () => (await held()).board === 20);
    expect(await held()).toMatchObject({ queues: 20, lookedAfter: 20 });
    for (const one of connected) one.cut();
    await eventually(async () => stores.servedDirectory.connected.length === 0);
    await hub.beat(minutes(0));
    await hub.beat(minutes(1));
    expect(await held()).toMatchObject({ queues: 20 });
    await hub.beat(minutes(3));
    await graceIsOver();
    await eventually(async () => (await held()).channels === 0);
    expect(await held()).toEqual(nothing);
    // It opens anew with its next worker.
    const back = await RawWorker.connect({ url, key, domain: 'd0', tools: [toServedTool(contractOf('tool_of_0'))] });
    const answer = call('tool_of_0');
    const { attempt } = await back.nextAttempt();
    await back.send([{ type: 'done', attempt, data: { said: 'again' } }]);
    expect(await answer).toMatchObject({ status: 200, body: { data: { said: 'again' } } });
    back.cut();
    await hub.beat(minutes(10));
    await hub.beat(minutes(13));
  });

  test('that has calls is looked after until they have ended, though no worker is there', async () => {
    const worker = await RawWorker.connect({
      url,
      key,
      domain: 'left',
      tools: [toServedTool(contractOf('left_alone', { timeoutMs: 300 }))],
    });
    let isOver = false;
    const answer = call('left_alone').finally(() => (isOver = true));
    await worker.nextAttempt();
    worker.cut();
    await hub.beat(minutes(20));
    await hub.beat(minutes(23));
    await graceIsOver();
    const queue = servedDomainName({ tenant: gateway.tenant.id, domain: 'left' });
    expect(stores.servedDirectory.unserved).toContain(queue);
    await eventually(
      async () => {
        await hub.beat(minutes(24));
        return isOver;
      },
      { withinMs: 20_000 },
    );
    expect((await answer).status).toBe(503);
    expect(stores.servedDirectory.queues).toContain(queue);
  });

  test('that is approved and has no worker costs nothing, a thousand of them neither', async () => {
    const { database, servedDirectory, redis, keys } = stores;
    const tenantId = `${gateway.tenant.id}-many`;
    const row = {
      tenantId,
      version: '1.0.0',
      contract: {},
      fingerprint: 'f',
      announcedBy: 'k',
      announcedAt: new Date(),
      approvedBy: 'k',
      approvedAt: new Date(),
    };
    await redis.del(keys.busyDomains());
    await graceIsOver();
    await database.servedTool.createMany({ data: Array.from({ length: 1_000 }, (_, n) => ({ ...row, name: `t_${n}`, domain: `d${n}` })) });
    await servedDirectory.refresh();
    expect(servedDirectory.approvedQueues.length).toBeGreaterThanOrEqual(1_000);
    await eventually(async () => {
      // As the gateway does by itself now and then: a call of the test before may have held a queue a moment longer.
      await hub.beat(minutes(30));
      await servedDirectory.refresh('all');
      const { channels, board } = await held();
      return channels + board === 0;
    });
    expect(await held()).toEqual(nothing);
    await database.servedTool.deleteMany({ where: { tenantId } });
  });
});

async function start(names: readonly string[], name?: string): Promise<ServedWorker> {
  const isServing = Promise.withResolvers<void>();
  const worker = serve({
    tools: names.map((one) => handle(contractOf(one), ({ text }) => ({ said: text }))),
    url,
    key,
    domain: 'renamed',
    stopsOnSignal: false,
    ...(name !== undefined && { name }),
    onEvent: ({ kind }) => kind === 'serving' && isServing.resolve(),
  });
  workers.push(worker);
  await isServing.promise;
  return worker;
}

describe('a tool that its program has no more', () => {
  test.each([
    ['renamed, in a program without a name', undefined, ['old_name_1', 'kept_1'], ['new_name_1', 'kept_1']],
    ['the only one, in a program with a name', 'dev', ['old_name_2'], ['new_name_2']],
  ])('is refused at once: %s', async (_, name, before, after) => {
    const [old = '', renamed = ''] = [before[0], after[0]];
    const first = await start(before, name);
    expect(await call(old)).toMatchObject({ status: 200 });
    await start(after, name);
    expect(await call(old)).toMatchObject({ status: 200 });
    await first.stop();
    // A worker that is just gone is waited for, for half a minute.
    await eventually(async () => (await call(old)).status === 503, { withinMs: 15_000, what: 'the refusal' });
    expect((await call(old)).body).toMatchObject({
      error: { code: 'NETWORK_ERROR', message: expect.stringContaining('No worker serves') },
    });
    expect(await call(renamed)).toMatchObject({ status: 200 });
  });

  test('is waited for where its worker is just gone', async () => {
    const first = await start(['comes_back'], 'other');
    await first.stop();
    const answer = call('comes_back');
    await start(['comes_back'], 'other');
    expect(await answer).toMatchObject({ status: 200 });
  });
});

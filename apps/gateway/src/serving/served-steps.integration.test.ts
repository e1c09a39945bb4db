// Steps and sleeps of tenants' own tools: with the library that is published for them, and word by word.
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { toServedTool } from '#lib/contracts';
import { eventually, RawWorker } from '#lib/testing';
import { Failure, handle, type ServedWorker, type Tool } from '#lib/serve';
import { TestHttpGateway } from '../test-http-gateway.js';
import { contractOf } from './test-contract.js';
import { begin, startOwnWorker } from './test-own-worker.js';

let gateway: TestHttpGateway;
let url: string;
let key: string;
const workers: ServedWorker[] = [];
beforeAll(async () => {
  gateway = await TestHttpGateway.start({ NODE_ENV: 'test' });
  url = `http://127.0.0.1:${gateway.port}`;
  key = await gateway.tenant.key({ userId: null, scopes: ['tools:serve'], approvesTools: true });
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop().catch(() => undefined)));
});
afterAll(async () => gateway[Symbol.asyncDispose]());

async function start(tool: Tool, concurrency?: number): Promise<void> {
  workers.push(await startOwnWorker(gateway, { key, tool, ...(concurrency !== undefined && { concurrency }) }));
}

let used = 0;
const newName = () => `step_tool_${++used}`;
const job = z.looseObject({ state: z.string(), result: z.unknown() });

const read = async (id: string) => job.parse(JSON.parse((await gateway.send(`/jobs/${id}`, { authorization: gateway.user })).body));
const ended = async (id: string) =>
  eventually(async () => {
    const found = await read(id);
    return ['completed', 'failed'].includes(found.state) && found;
  });

describe('a served tool with the library', () => {
  test('sleeps, and does no step twice', async () => {
    const name = newName();
    const done: string[] = [];
    await start(
      handle(contractOf(name), async ({ text }, { step, sleep, attempt }) => {
        const first = await step('first', async () => `${text} ${done.push('first')}`);
        await Promise.all([sleep('nap', 300), step('beside', () => done.push('beside'))]);
        await step('second', () => done.push('second'));
        return { said: `${first} in attempt ${attempt}` };
      }),
    );
    const id = await begin(gateway, name);
    await eventually(async () => (await read(id)).state === 'resting');
    expect(await ended(id)).toMatchObject({ state: 'completed', result: { data: { said: 'hello 1 in attempt 2' } } });
    expect(done).toEqual(['first', 'beside', 'second']);
  });

  test('a step that was done is not done again by a retry', async () => {
    const name = newName();
    const done: string[] = [];
    await start(
      handle({ ...contractOf(name), retry: { service: { times: 2, baseMs: 1 } } }, async (_input, { step, attempt }) => {
        await step('first', () => done.push('first'));
        if (attempt < 3) throw new Failure('service', 'not yet');
        return { said: `attempt ${attempt}` };
      }),
    );
    expect(await ended(await begin(gateway, name))).toMatchObject({ state: 'completed', result: { data: { said: 'attempt 3' } } });
    expect(done).toEqual(['first']);
  });
});

// Of the gateway, and of the worker, where twice as many handlers as it has places may run on that were stopped.
test('a rest gives its place at the worker free', async () => {
  const name = newName();
  const tool = handle(contractOf(name), async (_input, { sleep }) => {
    for (let n = 0; n < 3; n++) await sleep(`nap ${n}`, 1);
    return { said: 'rested' };
  });
  await start(tool, 1);
  expect(await ended(await begin(gateway, name))).toMatchObject({ state: 'completed', result: { data: { said: 'rested' } } });
});

describe('word by word', () => {
  async function connected(name: string): Promise<RawWorker> {
    return RawWorker.connect({ url, key, tools: [toServedTool({ ...contractOf(name), domain: 'own-sales' })], domain: 'sales' });
  }

  test('a step is told to be kept, also when it is sent again, and is in the next attempt', async () => {
    const name = newName();
    const worker = await connected(name);
    const id = await begin(gateway, name);
    const { attempt } = await worker.nextAttempt();
    for (const data of [1, 1]) {
      await worker.send([{ type: 'step', attempt, name: 'one', data }]);
      expect(await worker.next('kept')).toEqual({ attempt, name: 'one' });
    }
    const rest = { type: 'rest', attempt, waits: [{ name: 'nap', reason: 'sleep', delay_ms: 1 }] };
    expect(await (await worker.send([rest])).json()).toMatchObject({ settled: [attempt] });
    const second = await worker.nextAttempt();
    expect(second).toMatchObject({
      number: 2,
      earlier_steps: expect.arrayContaining([
        { name: 'one', kind: 'step', data: 1 },
        { name: 'nap', kind: 'sleep', over: true },
      ]),
    });
    await worker.send([{ type: 'done', attempt: second.attempt, data: { said: 'x' } }]);
    expect(await ended(id)).toMatchObject({ state: 'completed' });
    worker.cut();
  });

  test('a sleep that was asked for goes on, whatever the next attempt says', async () => {
    const name = newName();
    const worker = await connected(name);
    const id = await begin(gateway, name);
    const { attempt } = await worker.nextAttempt();
    const naps = (delay_ms?: number) => [
      { name: 'long', reason: 'sleep', ...(delay_ms !== undefined && { delay_ms }) },
      { name: 'short', reason: 'sleep', ...(delay_ms !== undefined && { delay_ms: 1 }) },
    ];
    await worker.send([{ type: 'rest', attempt, waits: naps(3_600_000) }]);
    const second = await worker.nextAttempt();
    expect(second['earlier_steps']).toEqual(expect.arrayContaining([{ name: 'long', kind: 'sleep', over: false }]));
    await worker.send([{ type: 'rest', attempt: second.attempt, waits: naps().slice(0, 1) }]);
    await eventually(async () => (await read(id)).state === 'resting');
    const { rest } = z.object({ rest: z.object({ until: z.iso.datetime() }) }).parse(await read(id));
    expect(Date.parse(rest.until)).toBeGreaterThan(Date.now() + 3_500_000);
    worker.cut();
  });

  test('a step too many ends the attempt, and the worker is told to stop', async () => {
    const name = newName();
    const worker = await connected(name);
    const id = await begin(gateway, name);
    const { attempt } = await worker.nextAttempt();
    await worker.send([{ type: 'step', attempt, name: 'large', data: 'x'.repeat(1_048_577) }]);
    expect(await worker.next('stop')).toEqual({ attempt });
    expect(await ended(id)).toMatchObject({ state: 'failed' });
    worker.cut();
  });

  test('a worker that is late keeps nothing', async () => {
    const name = newName();
    const worker = await connected(name);
    const id = await begin(gateway, name);
    const { attempt } = await worker.nextAttempt();
    await gateway.send(`/jobs/${id}`, { method: 'DELETE', authorization: gateway.user });
    await worker.next('stop');
    await worker.send([{ type: 'step', attempt, name: 'one', data: 1 }]);
    await eventually(async () => (await read(id)).state === 'cancelled');
    worker.cut();
  });
});

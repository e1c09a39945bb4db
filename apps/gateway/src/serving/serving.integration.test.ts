// The door for workers, with real workers of the library that is published for them, over real stores.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { secret, servedDomainName, toServedTool } from '#lib/contracts';
import { eventually, RawWorker } from '#lib/testing';
import { Failure, handle, serve, type ServedWorker, type ServeOptions } from '#lib/serve';
import { TestHttpGateway } from '../test-http-gateway.js';
import { contractOf } from './test-contract.js';

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

async function start(tools: ServeOptions['tools'], more: Partial<ServeOptions> = {}): Promise<ServedWorker> {
  const names = tools.map(({ contract }) => `${contract.name}@${contract.version}`);
  const isServing = Promise.withResolvers<void>();
  const worker = serve({
    tools,
    url,
    key,
    domain: 'sales',
    stopsOnSignal: false,
    onEvent: (event) => {
      if (event.kind === 'serving' && names.every((name) => event.tools.includes(name))) isServing.resolve();
    },
    ...more,
  });
  workers.push(worker);
  await Promise.race([isServing.promise, worker.stopped]);
  return worker;
}

let used = 0;
const newName = () => `test_tool_${++used}`;
const call = async (name: string, body: object = { text: 'hello' }, authorization = gateway.user) => {
  const { status, body: text } = await gateway.post(`/tools/${name}`, body, authorization);
  return { http: status, ...z.looseObject({}).parse(JSON.parse(text)) };
};

describe('a served tool', () => {
  test('answers like one of our own, and knows its caller, its call and its attempt', async () => {
    const name = newName();
    const seen: unknown[] = [];
    await start([
      handle(contractOf(name), async ({ text }, { caller, effectKey, attempt, warn, progress, network }) => {
        seen.push([caller.tenantId, caller.userId, effectKey, attempt]);
        await network(async () => sleep(50));
        progress(50, 'half');
        warn('only once');
        return { said: text };
      }),
    ]);
    const performance = z.object({ network_ms: z.number().min(45) });
    const answer = await call(name);
    expect(answer).toMatchObject({ http: 200, data: { said: 'hello' }, metadata: { warnings: ['only once'] } });
    z.object({ metadata: z.object({ performance }) }).parse(answer);
    expect(seen).toEqual([[gateway.tenant.id, 'user_001', expect.stringMatching(/^inv_own-/), 1]]);
    expect(await call(name, { text: 1 })).toMatchObject({ http: 400, error: { code: 'INVALID_PARAMS' } });
    const listed = await gateway.send('/tools?domain=sales', { authorization: gateway.user });
    expect(listed.body).toContain(name);
    const board = await gateway.send('/admin/queues/api/queues', { authorization: gateway.admin });
    expect(board.body).toContain(servedDomainName({ tenant: gateway.tenant.id, domain: 'sales' }));
  });

  test('refuses with its own errors, and fails by its kinds with retries under one effect key', async () => {
    const name = newName();
    const keys: string[] = [];
    await start([
      handle(contractOf(name), ({ text }, { error, effectKey, attempt }) => {
        keys.push(effectKey);
        if (text === 'none') throw error('NO_SUCH_TEXT', 'There is no such text');
        if (text === 'twice' && attempt < 3) throw new Failure('service', 'the other side failed');
        if (text === 'bug') throw new Error('a bug');
        return { said: text };
      }),
    ]);
    expect(await call(name, { text: 'none' })).toMatchObject({
      http: 404,
      error: { code: 'RESOURCE_NOT_FOUND', native_code: 'NO_SUCH_TEXT', message: 'There is no such text' },
    });
    keys.length = 0;
    expect(await call(name, { text: 'twice' })).toMatchObject({ http: 200, metadata: { attempts: 3 } });
    expect([keys.length, new Set(keys).size]).toEqual([3, 1]);
    expect(await call(name, { text: 'bug' })).toMatchObject({ http: 500, error: { code: 'EXECUTION_ERROR' } });
  });

  test('whose answer breaks its contract fails, whatever the worker says', async () => {
    const name = newName();
    const contract = { ...contractOf(name), domain: 'own-sales' } as const;
    await start([{ contract, run: async () => ({ said: 5 }) }]);
    expect(await call(name)).toMatchObject({ http: 500, error: { code: 'EXECUTION_ERROR' } });
  });

  test('has its own patterns checked where it runs', async () => {
    const name = newName();
    await start([
      handle(
        contractOf(name, {
          input: z.strictObject({ text: z.string().regex(/^h/).describe('With h.') }),
          examples: [{ input: { text: 'h' }, output: { said: 'a' } }],
        }),
        () => ({ said: 'x' }),
      ),
    ]);
    expect(await call(name, { text: 'hello' })).toMatchObject({ http: 200 });
    expect(await call(name, { text: 'nope' })).toMatchObject({
      http: 400,
      error: { code: 'INVALID_PARAMS', details: [{ path: 'text' }] },
    });
  });

  test('gives secrets to its caller alone', async () => {
    const name = newName();
    const link = z.strictObject({ said: secret(z.string()) });
    await start([handle(contractOf(name, { output: link }), () => ({ said: 'https://one.time/link' }))]);
    const made = await call(name);
    expect(made).toMatchObject({ data: { said: 'https://one.time/link' } });
    const { job_id } = z.looseObject({ metadata: z.looseObject({ job_id: z.string() }) }).parse(made).metadata;
    const seenByAdmin = await gateway.send(`/jobs/${job_id}`, { authorization: gateway.admin });
    expect([seenByAdmin.status, seenByAdmin.body.includes('one.time')]).toEqual([200, false]);
  });

  test('is stopped when its call is cancelled', async () => {
    const name = newName();
    const [begun, stopped] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await start([
      handle(contractOf(name), async (_, { signal }) => {
        begun.resolve();
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        stopped.resolve();
        return { said: 'late' };
      }),
    ]);
    const accepted = await gateway.send(`/tools/${name}`, {
      method: 'POST',
      authorization: gateway.user,
      headers: { prefer: 'respond-async' },
      body: JSON.stringify({ text: 'a' }),
    });
    const { job_id } = z.looseObject({ job_id: z.string() }).parse(JSON.parse(accepted.body));
    await begun.promise;
    await gateway.send(`/jobs/${job_id}`, { method: 'DELETE', authorization: gateway.user });
    await stopped.promise;
    expect(JSON.parse((await gateway.send(`/jobs/${job_id}`, { authorization: gateway.user })).body)).toMatchObject({
      state: 'cancelled',
    });
  });

  test('that takes too long is stopped at its time limit', async () => {
    const name = newName();
    await start([handle(contractOf(name, { timeoutMs: 100 }), () => new Promise(() => undefined))]);
    expect(await call(name)).toMatchObject({ http: 504, error: { code: 'TIMEOUT' } });
  });

  test('runs many calls at once, and more wait for a place', async () => {
    const name = newName();
    let [running, most] = [0, 0];
    await start(
      [
        handle(contractOf(name), async ({ text }) => {
          most = Math.max(most, ++running);
          await new Promise((resolve) => setTimeout(resolve, 5));
          running -= 1;
          return { said: text };
        }),
      ],
      { concurrency: 4 },
    );
    const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => call(name, { text: String(n) })));
    expect(answers).toMatchObject(Array.from({ length: 40 }, (_, n) => ({ data: { said: String(n) } })));
    expect(most).toBeLessThanOrEqual(4);
  });

  test('may be served in two versions by two workers', async () => {
    const name = newName();
    await start([handle(contractOf(name), () => ({ said: 'one' }))]);
    const v2 = {
      version: '2.0.0',
      output: z.strictObject({ text: z.string() }),
      examples: [{ input: { text: 'a' }, output: { text: 'a' } }],
    };
    await start([{ contract: { ...contractOf(name, v2), domain: 'own-sales' }, run: async () => ({ text: 'two' }) }]);
    expect(await call(name)).toMatchObject({ data: { text: 'two' } });
    expect(await call(`${name}@1`)).toMatchObject({ data: { said: 'one' } });
  });
});

describe('a worker', () => {
  const connect = async (name: string, concurrency = 4) =>
    RawWorker.connect({ url, key, concurrency, tools: [toServedTool(contractOf(name))] });
  const done = (attempt: string, said = 'x') => ({ type: 'done', attempt, data: { said } });

  test('that is cut off in the middle loses nothing: the call runs again at once, under its effect key', async () => {
    const name = newName();
    const [first, second] = [await connect(name, 1), await connect(name, 1)];
    const answer = call(name);
    const [taker, begun] = await Promise.race([first, second].map(async (one) => [one, await one.nextAttempt()] as const));
    taker.cut();
    const again = await (taker === first ? second : first).nextAttempt();
    expect(again).toMatchObject({ effect_key: begun.effect_key, number: begun.number + 1, input: { text: 'hello' } });
    await (taker === first ? second : first).send([done(again.attempt)]);
    expect(await answer).toMatchObject({ http: 200, data: { said: 'x' } });
    (taker === first ? second : first).cut();
  });

  test('that is lost twice with one call ends it: the call is poison', async () => {
    const name = newName();
    const first = await connect(name);
    const answer = call(name);
    await first.nextAttempt();
    const second = await connect(name);
    first.cut();
    await second.nextAttempt();
    second.cut();
    expect(await answer).toMatchObject({
      http: 500,
      error: { code: 'EXECUTION_ERROR', message: expect.stringContaining('Two workers') },
    });
  });

  test('gives back what it did not begin, and that counts for nothing', async () => {
    const name = newName();
    const one = await connect(name);
    const answer = call(name);
    for (let round = 0; round < 4; round++) await one.send([{ type: 'return', attempt: (await one.nextAttempt()).attempt }]);
    await one.send([done((await one.nextAttempt()).attempt)]);
    expect(await answer).toMatchObject({ http: 200, data: { said: 'x' } });
    one.cut();
  });

  test('cannot end a call twice, nor one that it does not have', async () => {
    const name = newName();
    const one = await connect(name);
    const answer = call(name);
    const { attempt, effect_key } = await one.nextAttempt();
    const forged = await one.send([done(`${effect_key}.7`, 'forged'), done(`inv_profile_${'0'.repeat(32)}.1`, 'forged')]);
    expect(await forged.json()).toEqual({ settled: [], unknown: [`${effect_key}.7`, `inv_profile_${'0'.repeat(32)}.1`] });
    expect(await (await one.send([done(attempt, 'first'), done(attempt, 'second')])).json()).toMatchObject({ settled: [attempt] });
    expect(await answer).toMatchObject({ data: { said: 'first' } });
    one.cut();
  });

  test('speaks for itself alone: for another key there is no such worker', async () => {
    const name = newName();
    const one = await connect(name);
    const answer = call(name);
    const { attempt } = await one.nextAttempt();
    const other = await gateway.tenant.key({ userId: null, scopes: ['tools:serve'] });
    expect((await one.send([done(attempt, 'forged')], { key: other })).status).toBe(404);
    for (const id of ['wrk_0', `wrk_${'0'.repeat(16)}_${'0'.repeat(32)}`, `${one.id.slice(0, -1)}x`, '%2e%2e'])
      expect([id, (await one.send([], { id })).status]).toEqual([id, 404]);
    await one.send([done(attempt, 'own')]);
    expect(await answer).toMatchObject({ data: { said: 'own' } });
    one.cut();
  });

  test.each<[string, object]>([
    ['of no known type', { type: 'end' }],
    ['with a progress beyond the end', { type: 'progress', attempt: 'a', progress: 101, message: '' }],
    ['with a text that is too long', { type: 'log', attempt: 'a', level: 'info', message: 'x'.repeat(3_000) }],
    ['with a result that is no object', { type: 'done', attempt: 'a', data: [] }],
    ['with a level that is no level', { type: 'log', attempt: 'a', level: 'fatal', message: '' }],
  ])('has a message refused that is %s', async (_, message) => {
    const one = await connect(newName());
    expect((await one.send([message])).status).toBe(400);
    expect((await one.send(Array.from({ length: 201 }, () => ({ type: 'drain' })))).status).toBe(400);
    one.cut();
  });

  test('that leaves in order ends what it has', async () => {
    const name = newName();
    const begun = Promise.withResolvers<void>();
    const worker = await start([
      handle(contractOf(name), async ({ text }) => {
        begun.resolve();
        await new Promise((resolve) => setTimeout(resolve, 50));
        return { said: text };
      }),
    ]);
    const answer = call(name);
    await begun.promise;
    await worker.stop();
    expect(await answer).toMatchObject({ http: 200, data: { said: 'hello' }, metadata: { attempts: 1 } });
  });

  test('whose key is revoked is cut off', async () => {
    const mine = await gateway.tenant.key({ userId: null, scopes: ['tools:serve'], approvesTools: true });
    const one = await RawWorker.connect({ url, key: mine, tools: [toServedTool(contractOf(newName()))] });
    await gateway.send(`/keys/${mine.split('_')[1]}`, { method: 'DELETE', authorization: gateway.admin });
    await eventually(() => one.isOver);
    expect((await one.send([])).status).toBe(401);
  });

  test('needs the scope, a domain that its key serves, and contracts', async () => {
    const ask = async (body: object, authorization: string) =>
      gateway.post('/workers', { protocol: 1, domain: 'sales', tools: [{}], ...body }, authorization);
    const limited = `Bearer ${await gateway.tenant.key({ userId: null, scopes: ['tools:serve'], serves: ['reports'] })}`;
    const mine = `Bearer ${key}`;
    expect((await ask({}, gateway.user)).status).toBe(403);
    expect(await ask({}, limited)).toMatchObject({ status: 403, body: expect.stringContaining('reports') });
    expect(await ask({ domain: 'profile' }, mine)).toMatchObject({ status: 400, body: expect.stringContaining('domain of Invoq') });
    for (const wrong of [
      { tools: [] },
      { protocol: 2 },
      { tools: Array.from({ length: 101 }, () => ({})) },
      { concurrency: 0 },
      { domain: 'A' },
    ])
      expect([wrong, (await ask(wrong, mine)).status]).toEqual([wrong, 400]);
  });
});

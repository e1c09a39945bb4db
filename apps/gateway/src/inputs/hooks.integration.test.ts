// Hooks of calls: somebody outside calls an address, and the call goes on.
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { hookToken } from '#lib/contracts';
import { eventually } from '#lib/testing';
import { Failure, handle, type ServedWorker, type ToolContext } from '#lib/serve';
import { HookKeys, newJobId, partitionOf } from '#lib/transport';
import { contractOf } from '../serving/test-contract.js';
import { begin, startOwnWorker } from '../serving/test-own-worker.js';
import { Stores } from '../stores.js';
import { TestHttpGateway } from '../test-http-gateway.js';

let gateway: TestHttpGateway;
let key: string;
const workers: ServedWorker[] = [];
beforeAll(async () => {
  gateway = await TestHttpGateway.start({ NODE_ENV: 'test' });
  key = await gateway.tenant.key({ userId: null, scopes: ['tools:serve'], approvesTools: true });
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop().catch(() => undefined)));
});
afterAll(async () => gateway[Symbol.asyncDispose]());

let used = 0;
const job = z.looseObject({ state: z.string(), result: z.unknown() });
const read = async (id: string) => job.parse(JSON.parse((await gateway.send(`/jobs/${id}`, { authorization: gateway.user })).body));
const until = async (id: string, ...states: string[]) =>
  eventually(async () => {
    const found = await read(id);
    return states.includes(found.state) && found;
  });

/** Serves a tool and calls it. Gives the call, and paths of its hooks in the order in which they were made. */
async function begun(run: (context: ToolContext) => Promise<string>) {
  const name = `hook_tool_${++used}`;
  workers.push(
    await startOwnWorker(gateway, { key, tool: handle(contractOf(name), async (_input, context) => ({ said: await run(context) })) }),
  );
  return begin(gateway, name);
}

const call = async (url: string, body: unknown = { ok: true }) => {
  const { status } = await gateway.send(new URL(url).pathname, { method: 'POST', body: JSON.stringify(body) });
  return status;
};

describe('a hook', () => {
  test('lets a call rest until it is called, once, and gives the body', async () => {
    const told = Promise.withResolvers<string>();
    const id = await begun(async ({ hook, step }) => {
      const paid = hook('paid');
      await step('tell', () => told.resolve(paid.url));
      return JSON.stringify(await paid.wait({ timeoutMs: 3_600_000 }));
    });
    const url = await told.promise;
    expect(await until(id, 'resting')).toMatchObject({ rest: { reason: 'event' } });
    expect(await Promise.all([call(url, { n: 1 }), call(url, { n: 1 })])).toEqual(expect.arrayContaining([202, 410]));
    expect(await until(id, 'completed')).toMatchObject({ result: { data: { said: '{"n":1}' } } });
    expect(await call(url)).toBe(410);
  });

  test('that is called before it is waited for keeps the body, whenever that is', async () => {
    let late = '';
    const id = await begun(async ({ hook, step, sleep }) => {
      const [first, second] = [hook('first'), hook('second')];
      late = second.url;
      await step('call', async () => call(first.url, 'one'));
      await sleep('nap', 1);
      const one = await first.wait();
      return `${String(one)} ${String(await second.wait({ timeoutMs: 60_000 }))}`;
    });
    await until(id, 'resting');
    await eventually(async () => (await read(id))['rest'] && late !== '');
    expect(await call(late, 'two')).toBe(202);
    expect(await until(id, 'completed')).toMatchObject({ result: { data: { said: 'one two' } } });
  });

  test('that is called while the call goes to rest is not lost', async () => {
    for (let round = 0; round < 5; round++) {
      const id = await begun(async ({ hook }) => {
        const paid = hook('paid');
        void call(paid.url, 'now');
        return String(await paid.wait({ timeoutMs: 3_600_000 }));
      });
      expect(await until(id, 'completed')).toMatchObject({ result: { data: { said: 'now' } } });
    }
  });

  test('is over after its time: every later attempt finds so, and a body that comes is refused', async () => {
    let url = '';
    const id = await begun(async ({ hook, sleep }) => {
      const paid = hook('paid');
      url = paid.url;
      try {
        return String(await paid.wait({ timeoutMs: 50 }));
      } catch (error) {
        if (!(error instanceof Failure) || error.kind !== 'timeout') throw error;
        await sleep('nap', 600);
        return 'nobody';
      }
    });
    await eventually(async () => (await call(url, 'late').catch(() => 0)) === 410 || (await read(id)).state === 'completed');
    expect(await until(id, 'completed')).toMatchObject({ result: { data: { said: expect.stringMatching(/nobody|late/) } } });
  });
});

describe('an address', () => {
  const keys = () => gateway.app.get(Stores).hooks.keys;

  test('that nobody of us has signed does not exist', async () => {
    const jobId = newJobId(partitionOf('profile'));
    const other = new HookKeys([{ key: Buffer.alloc(32, 7) }]).keyOf(jobId);
    const signed = hookToken(keys().keyOf(jobId), { jobId, name: 'a' });
    const [said = '', mac = ''] = signed.split('.');
    const forged = [
      hookToken(other, { jobId, name: 'a' }),
      // The key of one call signs for no other.
      hookToken(keys().keyOf(jobId), { jobId: `${jobId}x`, name: 'a' }),
      `${Buffer.from(JSON.stringify([jobId, 'b'])).toString('base64url')}.${mac}`,
      `${said}.`,
      `${said}.${mac.slice(1)}`,
      said,
      'a.b.c',
      'x'.repeat(200),
    ];
    for (const token of forged) expect(await call(`http://gateway/hooks/${token}`)).toBe(404);
    // This one is of a call that is there no more.
    expect(await call(`http://gateway/hooks/${signed}`)).toBe(410);
  });

  test('of a call that was cancelled is gone, and takes no megabytes', async () => {
    let url = '';
    const id = await begun(async ({ hook }) => {
      const paid = hook('paid');
      url = paid.url;
      return String(await paid.wait());
    });
    await until(id, 'resting');
    expect(await call(url, 'x'.repeat(1_060_000))).toBe(413);
    await gateway.send(`/jobs/${id}`, { method: 'DELETE', authorization: gateway.user });
    expect(await call(url)).toBe(410);
  });
});

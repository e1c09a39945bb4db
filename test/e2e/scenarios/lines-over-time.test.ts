// Lines of a flow whose calls wait for too long, by a clock that the test moves: each ends, has no effect, and holds nobody up.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { waitingLineList } from '#lib/contracts';
import { acceptedShape, eventually, jobShape, secondMs, startTimeoutMs, HttpCaller } from '#lib/testing';
import { inProcess } from '../in-process.js';
import { startLabSystem, type LabSystem } from '../lab-system.js';

jest.setTimeout(90_000);

describe('a line of a flow', () => {
  let lab: LabSystem;
  let user: HttpCaller;
  let admin: HttpCaller;
  beforeAll(async () => {
    lab = await startLabSystem({ inProcess, apart: ['gateway 2'], gateways: 2 });
    user = await lab.system.caller({ tier: 'vip' });
    admin = await lab.system.caller({ userId: null, tier: 'vip', scopes: ['tenant:admin'] });
  }, startTimeoutMs);
  afterAll(async () => lab?.[Symbol.asyncDispose]());

  const begun = async (order: string) =>
    (await user.post('/tools/lab_effect', { order, witness: true }, { prefer: 'respond-async' })).as(acceptedShape);
  const job = async (id: string) => (await user.get(`/jobs/${id}`)).as(jobShape);
  const waiting = async () => (await admin.get('/flow-lines')).as(waitingLineList).total;

  test('ends each call whose deadline passes while it waits, has none of its effects, and is free for the next', async () => {
    const made = await admin.request('/flows/one', { method: 'PUT', json: { tool: 'lab_effect', concurrency: 1 } });
    expect(made.status).toBe(201);
    using hold = lab.ledger.hold('before-effect', { match: ({ order }) => order === 'holder' });
    const holder = await begun('holder');
    await eventually(() => hold.calls.length === 1, { what: 'the holder runs' });
    const waiters = [await begun('waiter 1'), await begun('waiter 2')];
    for (const { state, rest } of waiters) expect([state, rest?.reason]).toEqual(['resting', 'flow']);
    const latest = Math.max(...waiters.map(({ rest }) => Date.parse(rest?.until ?? '')));
    expect(await waiting()).toBe(1);

    await lab.system.clock.advance(latest - Date.now() + 5 * secondMs);
    for (const { job_id } of waiters)
      await eventually(async () => (await job(job_id)).state === 'failed', { withinMs: 30_000, what: 'the end of a call that waited' });
    const [first] = await Promise.all(waiters.map(async ({ job_id }) => job(job_id)));
    expect(first?.result).toMatchObject({ success: false, error: { code: 'TIMEOUT' } });
    expect(await waiting()).toBe(0);

    hold.release();
    await eventually(async () => (await job(holder.job_id)).result !== null, { withinMs: 30_000, what: 'the end of the holder' });
    const next = await begun('next');
    await eventually(async () => (await job(next.job_id)).state === 'completed', { withinMs: 30_000, what: 'the next call' });
    for (const order of ['waiter 1', 'waiter 2']) expect(lab.ledger.of(order).effects).toEqual([]);
    expect(lab.ledger.of('next').effects).toHaveLength(1);
  });

  test('lets no call go whose deadline has passed, also where its turn comes before anybody has ended it', async () => {
    using hold = lab.ledger.hold('before-effect', { match: ({ order }) => order === 'late holder' });
    const holder = await begun('late holder');
    await eventually(() => hold.calls.length === 1, { what: 'the holder runs' });
    const waiters = [await begun('late 1'), await begun('late 2')];
    const latest = Math.max(...waiters.map(({ rest }) => Date.parse(rest?.until ?? '')));
    const passed = lab.system.clock.advance(latest - Date.now() + 5 * secondMs);
    hold.release();
    await passed;
    for (const { job_id } of [...waiters, holder])
      await eventually(async () => (await job(job_id)).result !== null, { withinMs: 30_000, what: 'the end of each call' });
    for (const { job_id } of waiters) expect(await job(job_id)).toMatchObject({ state: 'failed', result: { error: { code: 'TIMEOUT' } } });
    for (const order of ['late 1', 'late 2']) expect(lab.ledger.of(order).effects).toEqual([]);
    await eventually(async () => (await waiting()) === 0, { what: 'an empty line' });
  });

  test('is emptied by cancelling all that wait, and leaves nothing behind', async () => {
    using hold = lab.ledger.hold('before-effect', { match: ({ order }) => order === 'second holder' });
    const holder = await begun('second holder');
    await eventually(() => hold.calls.length === 1, { what: 'the holder runs' });
    const waiters = await Promise.all(Array.from({ length: 20 }, async (_, n) => begun(`cancelled ${n}`)));
    expect(await waiting()).toBe(1);
    const left = async () => (await lab.system.redis.keys()).filter((name) => /:flow}:(line|held|call|lines):/.test(name));
    expect(await left()).not.toEqual([]);
    const cancelled = await user.post('/jobs/cancel', { tool: 'lab_effect', state: 'resting' });
    expect(cancelled.body).toMatchObject({ cancelled: waiters.length });
    await eventually(async () => (await waiting()) === 0, { what: 'an empty line' });
    hold.release();
    await eventually(async () => (await job(holder.job_id)).state === 'completed', { withinMs: 30_000, what: 'the end of the holder' });
    await eventually(async () => (await left()).length === 0, { withinMs: 30_000, what: 'a line without calls has no keys' });
    for (let n = 0; n < waiters.length; n++) expect(lab.ledger.of(`cancelled ${n}`).effects).toEqual([]);
  });

  test('goes on at its own speed after the death of the gateway that accepted its calls', async () => {
    const [, second] = lab.system.gateways;
    if (!second) throw new Error('there is no second gateway');
    const elsewhere = new HttpCaller(second.url, await lab.system.tenant.key({ tier: 'vip' }));
    using hold = lab.ledger.hold('before-effect', { match: ({ order }) => order === 'last holder' });
    await begun('last holder');
    await eventually(() => hold.calls.length === 1, { what: 'the holder runs' });
    const waiters = await Promise.all(
      Array.from({ length: 12 }, async (_, n) =>
        (await elsewhere.post('/tools/lab_effect', { order: `left ${n}`, witness: true }, { prefer: 'respond-async' })).as(acceptedShape),
      ),
    );
    await second.kill();
    hold.release();
    // Whoever looks at places that nobody gives up finds one in ten seconds and more: twelve of them would take two minutes.
    for (const { job_id } of waiters)
      await eventually(async () => (await job(job_id)).state === 'completed', { withinMs: 45_000, what: 'the end of a call that waited' });
    for (let n = 0; n < waiters.length; n++) expect(lab.ledger.of(`left ${n}`).effects).toHaveLength(1);
    expect(await waiting()).toBe(0);
  });
});

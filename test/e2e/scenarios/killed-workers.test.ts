// Calls of a worker that was killed. Whoever starts the next one says that it has ended, so nobody waits until its locks are over: here they would last for
// minutes.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { acceptedShape, eventually, jobShape, startTimeoutMs, type AppProcess, type HttpCaller, type System } from '#lib/testing';
import { startLabSystem, type LabSystem } from '../lab-system.js';

jest.setTimeout(startTimeoutMs);

const minutesMs = 10 * 60_000;
/** As a process that nobody has told anything. */
const untold = { INVOQ_ENDED_PROCESSES: '' };

let lab: LabSystem;
let system: System;
let user: HttpCaller;

beforeAll(async () => {
  lab = await startLabSystem({ workers: 2, env: { PARTITIONS: '2' } });
  system = lab.system;
  user = await system.caller();
}, startTimeoutMs);
afterAll(async () => lab?.[Symbol.asyncDispose](), startTimeoutMs);

interface Started {
  readonly order: string;
  readonly self: string;
}

let orders = 0;
async function start(order = `order-${++orders}`): Promise<Started> {
  const accepted = await user.post('/tools/lab_effect', { order }, { prefer: 'respond-async' });
  return { order, self: accepted.as(acceptedShape).links.self };
}
const jobOf = async ({ self }: Started) => (await user.get(self)).as(jobShape);
const ended = async (call: Started) => {
  await eventually(async () => ['completed', 'failed'].includes((await jobOf(call)).state), { what: call.order, withinMs: 30_000 });
  return jobOf(call);
};
const effectsOf = ({ order }: Started) => lab.ledger.of(order).effects.length;

/** Calls whose effect is made and whose answer is held, at least one in each worker, by worker. */
async function heldInBoth() {
  const hold = lab.ledger.hold('after-effect', { match: ({ order }) => order.startsWith('order-') });
  const calls: Started[] = [];
  const placeOf = ({ order }: Started) => hold.calls.find((call) => call.order === order)?.pid;
  const inOf = (worker: AppProcess) => calls.filter((call) => placeOf(call) === worker.pid);
  while (system.workers.some((worker) => inOf(worker).length === 0)) {
    calls.push(await start());
    await hold.reached(calls.length);
  }
  const [first, second] = system.workers;
  if (!first || !second) throw new Error('two workers are needed');
  await system.redis.stretchLocks(minutesMs);
  return { hold, first, second, inFirst: inOf(first), inSecond: inOf(second) };
}

test('those that ran are run again by the next one at once, and those of another worker are left alone', async () => {
  const { hold, first, inFirst, inSecond } = await heldInBoth();
  await first.kill();
  await first.start();
  await hold.reached(2 * inFirst.length + inSecond.length);
  hold.release();
  for (const call of inFirst) {
    expect(await ended(call)).toMatchObject({ state: 'completed', attempts_made: 2 });
    expect(effectsOf(call)).toBe(1);
  }
  for (const call of inSecond) expect(await ended(call)).toMatchObject({ state: 'completed', attempts_made: 1 });
});

test('also when the next ones die before they have done anything', async () => {
  const { hold, first, inFirst, inSecond } = await heldInBoth();
  await first.kill();
  hold.release();
  for (let round = 0; round < 2; round++) {
    first.launch();
    await first.kill();
  }
  await first.start();
  for (const call of inFirst) expect(await ended(call)).toMatchObject({ state: 'completed', attempts_made: 2 });
  for (const call of inSecond) expect(await ended(call)).toMatchObject({ state: 'completed', attempts_made: 1 });
});

test('also when all workers die, and each is followed by its own', async () => {
  const { hold, inFirst, inSecond } = await heldInBoth();
  await Promise.all(system.workers.map((worker) => worker.kill()));
  hold.release();
  await Promise.all(system.workers.map((worker) => worker.start()));
  for (const call of [...inFirst, ...inSecond]) {
    expect(await ended(call)).toMatchObject({ state: 'completed', attempts_made: 2 });
    expect(effectsOf(call)).toBe(1);
  }
});

test('one that takes two workers down with it is given up, as ever', async () => {
  const { hold, first, second, inFirst } = await heldInBoth();
  await first.kill();
  // The other one must not take them.
  await second.kill();
  await first.start();
  for (const { order } of inFirst)
    await eventually(() => hold.calls.some((call) => call.order === order && call.pid === first.pid), { what: 'the second attempt' });
  await system.redis.stretchLocks(minutesMs);
  await first.kill();
  hold.release();
  await Promise.all([first.start(), second.start()]);
  for (const call of inFirst) expect(await ended(call)).toMatchObject({ state: 'failed', attempts_made: 2 });
});

test('those of one that nobody says the end of wait until its locks are over', async () => {
  const { hold, inFirst, inSecond } = await heldInBoth();
  await Promise.all(system.workers.map((worker) => worker.kill()));
  hold.release();
  await Promise.all(system.workers.map((worker) => worker.start(untold)));
  const later = await start();
  expect(await ended(later)).toMatchObject({ attempts_made: 1 });
  for (const call of inFirst) expect(await jobOf(call)).toMatchObject({ state: 'active', attempts_made: 1 });
  await system.redis.expireLocks();
  for (const call of [...inFirst, ...inSecond]) expect(await ended(call)).toMatchObject({ state: 'completed', attempts_made: 2 });
});

test('one that a worker was handed in the moment of its death runs as well', async () => {
  const [first, second] = system.workers;
  await second?.kill();
  for (let round = 0; ; round++) {
    expect((await user.call('lab_effect', { order: `before-${round}` })).envelope.success).toBe(true);
    first?.signal('SIGSTOP');
    const call = await start(`handed-${round}`);
    if ((await jobOf(call)).attempts_made === 0) {
      first?.signal('SIGCONT');
      await ended(call);
      continue;
    }
    await system.redis.stretchLocks(minutesMs);
    await first?.kill();
    await first?.start();
    expect(await ended(call)).toMatchObject({ state: 'completed', attempts_made: 2 });
    expect(effectsOf(call)).toBe(1);
    return;
  }
});

// Calls that a worker is handed as they are accepted, and the death and the silence of that worker.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { acceptedShape, eventually, jobShape, offerOverMs, startTimeoutMs, type HttpCaller, type System } from '#lib/testing';
import { inProcess } from '../in-process.js';
import { startLabSystem, type LabSystem } from '../lab-system.js';

let lab: LabSystem;
let system: System;
let user: HttpCaller;

beforeAll(async () => {
  lab = await startLabSystem({ inProcess, apart: ['workers'] });
  system = lab.system;
  user = await system.caller();
}, startTimeoutMs);
afterAll(async () => lab?.[Symbol.asyncDispose]());

let orders = 0;
const start = async (order: string) =>
  (await user.post('/tools/lab_steps', { order, steps: 1, step_ms: 1 }, { prefer: 'respond-async' })).as(acceptedShape).links;
const jobOf = async ({ self }: { readonly self: string }) => (await user.get(self)).as(jobShape);

/** Hands calls to a worker that hangs, until one has come within its offer. */
async function handedToHanging() {
  for (;;) {
    const order = `handed-${++orders}`;
    expect((await user.call('lab_cached', { order: `before-${orders}` })).envelope.success).toBe(true);
    system.worker.signal('SIGSTOP');
    const links = await start(order);
    if ((await jobOf(links)).attempts_made === 1) return { order, links };
    system.worker.signal('SIGCONT');
    await eventually(async () => (await jobOf(links)).state === 'completed', { what: order });
  }
}

test('a worker that hangs is handed calls for a quarter of a second, and runs them when it goes on', async () => {
  const { order, links } = await handedToHanging();
  await sleep(offerOverMs);
  const later = await start('later');
  await sleep(50);
  expect(await jobOf(later)).toMatchObject({ state: 'waiting', attempts_made: 0, started_at: null });
  system.worker.signal('SIGCONT');
  for (const one of [links, later])
    await eventually(async () => (await jobOf(one)).state === 'completed', { what: 'the end of a call after a silence' });
  expect(lab.ledger.of(order).notes.filter(({ note }) => note === 'started')).toHaveLength(1);
});

test('what a worker was handed before it was killed is run by the next', async () => {
  const { order, links } = await handedToHanging();
  await system.killWorkers(system.worker);
  await system.worker.start();
  await eventually(async () => (await jobOf(links)).state === 'completed', { what: 'the end of a call after a kill', withinMs: 20_000 });
  expect(await jobOf(links)).toMatchObject({ attempts_made: 2 });
  expect(lab.ledger.of(order).notes.filter(({ note }) => note === 'started')).toHaveLength(1);
});

test('a worker that was killed is handed nothing, so the next one need not wait until its locks are over', async () => {
  for (let round = 0; round < 5; round++) {
    expect((await user.call('lab_cached', { order: `killed-${round}` })).envelope.success).toBe(true);
    await system.worker.kill();
    const links = await start(`after-${round}`);
    expect(await jobOf(links)).toMatchObject({ state: 'waiting', attempts_made: 0 });
    await system.worker.start();
    await eventually(async () => (await jobOf(links)).state === 'completed', { what: 'the end of a call after a kill' });
    expect(await jobOf(links)).toMatchObject({ attempts_made: 1 });
  }
}, 60_000);

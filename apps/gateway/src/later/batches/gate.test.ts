import { expect, test } from '@jest/globals';
import { setTimeout } from 'node:timers/promises';
import { Gate, Room, Window } from './gate.js';

const never = new AbortController().signal;

test('A room has so many places, and who waits for one gets it in turn', async () => {
  const room = new Room(2);
  const held = [await room.enter(), await room.enter()];
  const entered: number[] = [];
  const waiting = [0, 1, 2].map(async (n) => {
    const place = await room.enter();
    entered.push(n);
    return place;
  });
  await setTimeout(1);
  expect(entered).toEqual([]);
  // Left twice is left once.
  held[0]?.[Symbol.dispose]();
  held[0]?.[Symbol.dispose]();
  (await waiting[0])?.[Symbol.dispose]();
  held[1]?.[Symbol.dispose]();
  await Promise.all(waiting.slice(0, 2));
  expect(entered).toEqual([0, 1, 2].slice(0, entered.length));
});

test('Some pass a gate at once, and after a refusal one by one, until more go through again', async () => {
  const gate = new Gate(null);
  let [inside, most, passed] = [0, 0, 0];
  const pass = async (): Promise<void> =>
    void (await gate.pass(async () => {
      most = Math.max(most, ++inside);
      await setTimeout(1);
      inside--;
      passed++;
    }, never));
  await Promise.all(Array.from({ length: 100 }, pass));
  expect([passed, most]).toEqual([100, 16]);
  gate.close(20);
  [most, passed] = [0, 0];
  const closedAt = performance.now();
  await Promise.all(Array.from({ length: 9 }, pass));
  expect(performance.now() - closedAt).toBeGreaterThan(15);
  expect([passed, most]).toEqual([9, 1]);
  most = 0;
  await Promise.all(Array.from({ length: 200 }, pass));
  expect(most).toBeGreaterThan(2);
});

test('What waits at a gate is not done when the signal fires', async () => {
  const gate = new Gate(1);
  const stop = new AbortController();
  const done: number[] = [];
  const passes = [0, 1, 2].map(async (n) => gate.pass(async () => done.push(n), stop.signal));
  await setTimeout(5);
  stop.abort();
  expect(await Promise.all(passes)).toEqual([1, null, null]);
  expect(done).toEqual([0]);
});

test('What fails inside leaves its place', async () => {
  const gate = new Gate(null);
  const fail = async (): Promise<unknown> => gate.pass(async () => Promise.reject(new Error('no')), never).catch(() => 'failed');
  expect(new Set(await Promise.all(Array.from({ length: 60 }, fail)))).toEqual(new Set(['failed']));
  expect(await gate.pass(async () => 'through', never)).toBe('through');
});

async function pass(window: Window, times: number, waitedMs: number | null, ranMs = 1): Promise<void> {
  for (let n = 0; n < times; n++) {
    await window.enter();
    window.leave('tool', waitedMs === null ? null : { waitedMs, ranMs });
  }
}

test('A window grows while calls wait no longer for it, and shrinks when they wait for each other', async () => {
  const window = new Window(() => false);
  await pass(window, 60_000, 10);
  expect(window.limit).toBe(256);
  await pass(window, 60_000, 10.1);
  expect(window.limit).toBe(256);
  await window.enter();
  window.leave('tool', { waitedMs: 5, ranMs: 1 });
  await pass(window, 400, 40);
  expect(window.limit).toBeLessThan(256);
  const crowded = new Window(() => false);
  await pass(crowded, 1, 1);
  await pass(crowded, 300, 50);
  expect(crowded.limit).toBe(1);
  // Calls of which nothing is known change nothing.
  const unknown = new Window(() => false);
  await pass(unknown, 100, null);
  expect(unknown.limit).toBe(4);
});

/** Calls that share a server: who comes while it does as much as it does at once waits until the others before it have ended. */
async function share(window: Window, times: number, server: { readonly ms: number; readonly atOnce: number }): Promise<void> {
  for (let n = 0; n < times; n++) {
    await window.enter();
    window.leave('tool', { waitedMs: 0.5 + server.ms * Math.max(0, window.limit / server.atOnce - 1), ranMs: server.ms });
  }
}

test('A window makes no queue, also after an hour of calls', async () => {
  const window = new Window(() => false);
  await share(window, 1_000, { ms: 4, atOnce: 4 });
  expect(window.limit).toBeGreaterThanOrEqual(4);
  await share(window, 1_000_000, { ms: 4, atOnce: 4 });
  expect(window.limit).toBeLessThanOrEqual(6);
});

test('A window learns that calls wait for others than those of its batch', async () => {
  const window = new Window(() => false);
  const beside = async (times: number): Promise<void> => {
    for (let n = 0; n < times; n++) {
      await window.enter();
      window.leave('tool', { waitedMs: 100 + Math.max(0, window.limit - 64), ranMs: 1 });
    }
  };
  await pass(window, 1_000, 1);
  await beside(2_000);
  const narrow = window.limit;
  await beside(20_000);
  expect(narrow).toBeLessThan(64);
  expect(window.limit).toBeGreaterThan(64);
});

test('A window is widened while no call ends', async () => {
  const window = new Window(() => false);
  let inside = 0;
  const entering = Array.from({ length: 20 }, async () => {
    await window.enter();
    inside++;
  });
  await setTimeout(50);
  expect(inside).toBe(4);
  await Promise.all(entering);
  expect(inside).toBe(20);
});

test('While nobody else waits for answers, calls may wait for each other a while, and from the moment that somebody does, no more', async () => {
  let isAlone = true;
  const window = new Window(() => isAlone);
  await share(window, 20_000, { ms: 4, atOnce: 4 });
  const alone = window.limit;
  // 1 ms of waiting for each.
  expect(alone).toBeGreaterThan(40);
  expect(alone).toBeLessThan(90);
  isAlone = false;
  expect(window.limit).toBe(4);
  await share(window, 2_000, { ms: 4, atOnce: 4 });
  expect(window.limit).toBeLessThanOrEqual(6);
  // It is as wide as it was when they have gone.
  isAlone = true;
  expect(window.limit).toBe(alone);
});

test('A batch that is alone is wide after some ten calls, and narrow again when its calls wait', async () => {
  const window = new Window(() => true);
  await pass(window, 60, 1);
  expect(window.limit).toBe(64);
  await pass(window, 1, 60);
  await pass(window, 60, 1);
  expect(window.limit).toBe(64);
  await pass(window, 2_300, 100);
  expect(window.limit).toBeLessThan(10);
});

test('A slow tool that many may call at once gets many places, also beside others, and however unlike its calls are', async () => {
  const window = new Window(() => false);
  await share(window, 60_000, { ms: 300, atOnce: 200 });
  expect(window.limit).toBeGreaterThan(150);
});

test('Calls that run long may wait a part of that beside others: a busy machine makes a batch of them no slower', async () => {
  const window = new Window(() => false);
  // Waits of 1 to 20 ms, as of a machine that has much to do.
  for (let n = 0; n < 5_000; n++) {
    await window.enter();
    window.leave('tool', { waitedMs: 1 + ((n * 7) % 20), ranMs: 300 });
  }
  expect(window.limit).toBeGreaterThan(50);
});

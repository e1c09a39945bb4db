// Lines of flows against a model of them, on a real Redis.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { newNamespace, testRedis } from '#lib/testing';
import { RedisKeys } from '../redis/redis-keys.js';
import { FlowLines, type EnteredLine, type LetGo } from './flow-lines.js';

const namespace = newNamespace();
const redis = testRedis(namespace);
const keys = new RedisKeys(namespace);
const lines = new FlowLines(redis, keys);

async function clear(): Promise<void> {
  const names = await redis.keys(`${keys.flowSlot()}*`);
  if (names.length > 0) await redis.del(...names);
}
beforeEach(clear);
afterAll(async () => {
  await clear();
  await redis[Symbol.asyncDispose]();
});

const flow = keys.flow('t', 'one');
const bounded = (concurrency: number, of = flow, number = 1): EnteredLine => ({
  line: keys.flowLine(of, 'k'),
  bounds: { number, concurrency, rate: null },
});
const rated = (max: number, perMs: number, of = flow): EnteredLine => ({
  line: keys.flowLine(of, 'k'),
  bounds: { number: 1, concurrency: null, rate: { max, perMs } },
});
const enter = async (jobId: string, ...of: readonly EnteredLine[]) => lines.enter({ jobId, tenant: 't' }, of);
const left = async () => (await redis.keys(`${keys.flowSlot()}*`)).filter((name) => !/:(flow|starts):/.test(name));

/** What the scripts should do: so many calls of a line have a place, and the others take turns by tenant. */
class ModelLine {
  readonly held = new Set<string>();
  waiting: { readonly id: string; readonly round: number }[] = [];
  readonly #rounds = new Map<string, number>();
  #current = 0;
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  enter(id: string, tenant: string): boolean {
    if (this.waiting.length === 0 && this.held.size < this.#most) return Boolean(this.held.add(id));
    const round = Math.max(this.#current, this.#rounds.get(tenant) ?? 0) + 1;
    this.#rounds.set(tenant, round);
    this.waiting.push({ id, round });
    this.waiting.sort((one, other) => one.round - other.round || (one.id < other.id ? -1 : 1));
    return false;
  }

  leave(id: string): readonly string[] {
    this.waiting = this.waiting.filter((one) => one.id !== id);
    this.held.delete(id);
    const granted: string[] = [];
    while (this.held.size < this.#most) {
      const next = this.waiting.shift();
      if (!next) break;
      this.#current = next.round;
      this.held.add(next.id);
      granted.push(next.id);
    }
    if (this.waiting.length === 0) {
      this.#rounds.clear();
      this.#current = 0;
    }
    return granted;
  }
}

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('enter' as const), tenant: fc.constantFrom('a', 'b', 'c'), key: fc.nat(1) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('leave' as const), pick: fc.nat(1_000) }) },
);

describe('lines of one flow', () => {
  test('do what their model does, whatever comes and goes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 3 }), fc.array(step, { maxLength: 60 }), async (most, steps) => {
        await clear();
        const models = [new ModelLine(most), new ModelLine(most)];
        const open: { readonly id: string; readonly key: number }[] = [];
        for (const [n, one] of steps.entries()) {
          if (one.kind === 'enter') {
            const id = `j${String(n).padStart(3, '0')}`;
            const line = { line: keys.flowLine(flow, String(one.key)), bounds: { number: 1, concurrency: most, rate: null } };
            const entered = await lines.enter({ jobId: id, tenant: one.tenant }, [line]);
            expect(entered.kind === 'held').toBe(models[one.key]?.enter(id, one.tenant));
            open.push({ id, key: one.key });
          } else {
            const [gone] = open.splice(one.pick % Math.max(1, open.length), 1);
            if (gone) expect((await lines.leave(gone.id)).granted).toEqual(models[gone.key]?.leave(gone.id));
          }
          for (const [key, { held }] of models.entries())
            expect(new Set(await redis.smembers(`${keys.flowSlot()}held:${keys.flowLine(flow, String(key))}`))).toEqual(held);
        }
        for (const { id } of open) await lines.leave(id);
        expect(await left()).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

describe('calls of several flows', () => {
  const names = ['x', 'y', 'z'].map((name) => keys.flow('t', name));
  const bounds = [1, 2, 3];

  test('have all of their places or none, no line has more than it may, and none waits that could go', async () => {
    const several = fc.array(
      fc.oneof(fc.record({ of: fc.subarray([0, 1, 2], { minLength: 1 }), key: fc.nat(1) }), fc.record({ pick: fc.nat(1_000) })),
      { maxLength: 60 },
    );
    await fc.assert(
      fc.asyncProperty(several, async (steps) => {
        await clear();
        const open = new Map<string, readonly string[]>();
        const held = new Set<string>();
        for (const [n, one] of steps.entries()) {
          let told: LetGo;
          if ('of' in one) {
            const of = one.of.map((place) => ({
              line: keys.flowLine(names[place] ?? '', String(one.key)),
              bounds: { number: 1, concurrency: bounds[place] ?? 1, rate: null },
            }));
            const entered = await enter(`j${n}`, ...of);
            open.set(
              `j${n}`,
              of.map(({ line }) => line),
            );
            if (entered.kind === 'held') held.add(`j${n}`);
            told = entered;
          } else {
            const gone = [...open.keys()][one.pick % Math.max(1, open.size)];
            if (gone === undefined) continue;
            open.delete(gone);
            held.delete(gone);
            told = await lines.leave(gone);
          }
          for (const id of told.granted) {
            expect(open.has(id) && !held.has(id)).toBe(true);
            held.add(id);
          }
          const places = new Map<string, number>();
          for (const id of held) for (const line of open.get(id) ?? []) places.set(line, (places.get(line) ?? 0) + 1);
          const room = (line: string) => (bounds[names.findIndex((name) => line.startsWith(name))] ?? 1) - (places.get(line) ?? 0);
          for (const line of new Set([...open.values()].flat())) {
            expect(room(line)).toBeGreaterThanOrEqual(0);
            expect(await redis.scard(`${keys.flowSlot()}held:${line}`)).toBe(places.get(line) ?? 0);
          }
          for (const [id, of] of open) if (!held.has(id)) expect(of.some((line) => room(line) === 0)).toBe(true);
        }
        while (open.size > 0) {
          for (const id of held) {
            open.delete(id);
            held.delete(id);
            for (const next of (await lines.leave(id)).granted) held.add(next);
          }
          if (held.size === 0) break;
        }
        expect(open.size).toBe(0);
        expect(await left()).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a line', () => {
  test('gives a call that asks twice what it has, and no other place', async () => {
    expect(await enter('a', bounded(1))).toMatchObject({ kind: 'held' });
    expect(await enter('a', bounded(1))).toMatchObject({ kind: 'held' });
    expect(await enter('b', bounded(1))).toMatchObject({ kind: 'waits', held: 1, before: 0 });
    expect(await enter('b', bounded(1))).toMatchObject({ kind: 'waits', held: 1, before: 0 });
    expect(await enter('c', bounded(1))).toMatchObject({ kind: 'waits', held: 1, before: 1 });
    expect(await lines.places(['a', 'b', 'c', 'd'])).toEqual([
      null,
      { line: bounded(1).line, held: 1, before: 0 },
      { line: bounded(1).line, held: 1, before: 1 },
      null,
    ]);
  });

  test('is not left by who has asked again since', async () => {
    await enter('a', bounded(1));
    const { turn } = await lines.seen('a');
    await enter('a', bounded(1));
    await lines.leave('a', { turn });
    expect(await enter('b', bounded(1))).toMatchObject({ kind: 'waits' });
    await lines.leave('a', { turn: (await lines.seen('a')).turn });
    expect(await enter('b', bounded(1))).toMatchObject({ kind: 'held' });
  });

  test('lets calls go when it is given other bounds, and keeps those that were read later', async () => {
    for (const id of ['a', 'b', 'c', 'd', 'e']) await enter(id, bounded(1));
    expect((await lines.waiting()).map(({ calls }) => calls)).toEqual([4]);
    expect((await lines.tune(flow, { number: 3, concurrency: 3, rate: null }, '0')).granted).toEqual(['b', 'c']);
    expect((await lines.tune(flow, { number: 2, concurrency: 9, rate: null }, '0')).granted).toEqual([]);
    await enter('f', bounded(9, flow, 2));
    expect((await lines.tune(flow, { number: 4, concurrency: null, rate: null }, '0')).granted).toEqual(['d', 'e', 'f']);
    expect(await lines.waiting()).toEqual([]);
  });

  test('goes on in groups where many may go at once', async () => {
    const all = Array.from({ length: 1_500 }, (_, n) => `j${n}`);
    for (const id of all) await enter(id, bounded(1));
    const granted = [...(await lines.tune(flow, { number: 2, concurrency: null, rate: null }, '0')).granted];
    expect(granted.length).toBeLessThan(200);
    for (let due: number | null = 0; due !== null;) {
      const told = await lines.advance();
      granted.push(...told.granted);
      ({ due } = told);
    }
    expect(granted.toSorted()).toEqual(all.slice(1).toSorted());
  });
});

describe('a rate', () => {
  test('lets so many begin in every window of its time, and says when the next may', async () => {
    const [max, perMs] = [3, 120];
    const starts: number[] = [];
    const clock = async () => {
      const [seconds, micros] = await redis.time();
      return Number(seconds) * 1_000 + Number(micros) / 1_000;
    };
    let due: number | null = null;
    const begin = async (jobId: string): Promise<void> => {
      starts.push(await clock());
      const told = await lines.begin(jobId);
      ({ due } = told);
      for (const next of told.granted) await begin(next);
    };
    // On a slow machine its time is over before all have asked: then one that waits may go when another one asks.
    for (let n = 0; n < 12; n++) {
      const entered = await enter(`r${n}`, rated(max, perMs));
      for (const jobId of new Set([...(entered.kind === 'held' ? [`r${n}`] : []), ...entered.granted])) await begin(jobId);
    }
    expect(starts.length).toBeGreaterThanOrEqual(max);
    while (starts.length < 12) {
      await sleep(Math.max(1, Math.ceil((due ?? 0) - (await clock()))));
      const told = await lines.advance();
      ({ due } = told);
      for (const jobId of told.granted) await begin(jobId);
    }
    const times = (await redis.lrange(`${keys.flowSlot()}starts:${rated(max, perMs).line}`, 0, -1)).map(Number);
    expect(times).toHaveLength(3);
    // A call begins before Redis is told: what it counts is later.
    for (let n = max; n < starts.length; n++) expect((starts[n] ?? 0) - (starts[n - max] ?? 0)).toBeGreaterThan(perMs - 20);
    expect((starts.at(-1) ?? 0) - (starts[0] ?? 0)).toBeLessThan(perMs * 60);
  });

  test('counts a call from its place on, however long it waits for a worker then', async () => {
    await enter('a', rated(1, 100));
    await sleep(150);
    expect(await enter('b', rated(1, 100))).toMatchObject({ kind: 'waits', held: 1, due: null });
    expect(await lines.advance()).toEqual({ granted: [], due: null });
    const { due } = await lines.begin('a');
    expect(await lines.begin('a')).toEqual({ granted: [], due });
    await sleep(110);
    expect((await lines.advance()).granted).toEqual(['b']);
    await lines.leave('a');
    await lines.leave('b');
    await sleep(110);
    expect(await enter('c', rated(1, 100))).toMatchObject({ kind: 'held' });
  });

  test('does not count a call that never ran', async () => {
    await enter('a', rated(1, 60_000));
    await lines.leave('a', { undoes: true });
    expect(await enter('b', rated(1, 60_000))).toMatchObject({ kind: 'held' });
    await lines.leave('b');
    expect(await enter('c', rated(1, 60_000))).toMatchObject({ kind: 'waits', held: 0, before: 0, due: expect.any(Number) });
  });

  test('and a number at a time hold together', async () => {
    const both: EnteredLine = { line: bounded(1).line, bounds: { number: 1, concurrency: 1, rate: { max: 2, perMs: 60_000 } } };
    for (const jobId of ['a', 'b', 'c']) await enter(jobId, both);
    expect(await lines.begin('a')).toEqual({ granted: [], due: null });
    expect((await lines.leave('a')).granted).toEqual(['b']);
    expect(await lines.leave('b')).toEqual({ granted: [], due: expect.any(Number) });
  });
});

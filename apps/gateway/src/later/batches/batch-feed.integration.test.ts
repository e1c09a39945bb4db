// Each line is called once, whoever dies and whenever.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Caller } from '#lib/contracts';
import { eventually, startTimeoutMs, type HttpCaller } from '#lib/testing';
import { Authenticator } from '../../callers/authenticator.js';
import { keptCaller } from '../../callers/kept-caller.js';
import { Calls } from '../../calls/calls.js';
import { BatchFeed, type BatchFeedParts } from './batch-feed.js';
import { BatchReplays } from './batch-replays.js';
import { BatchStore } from './batch-store.js';
import { FedBatches } from './fed-batches.js';
import type { BatchRow } from './batch-row.js';
import { Batches } from './batches.js';
import { Room } from './gate.js';
import { Intake } from './intake.js';
import { ended, orderOf, postLines, resultsOf, shownOf, startBatching, started, type Batching } from './test-batches.js';

let gateway: Batching;
let other: Batching;
let caller: HttpCaller;
let maker: Caller;

beforeAll(async () => {
  gateway = await startBatching();
  other = await startBatching(gateway.namespace);
  caller = await gateway.caller({});
  const row = await gateway.stores.database.batch.findUniqueOrThrow({
    where: { id: await started(postLines(caller, [orderOf('first')])) },
  });
  maker = keptCaller.parse(row.maker);
}, startTimeoutMs);

afterAll(async () => {
  await other?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
});

const lines = 40;
const batches = ({ stores }: Batching) => new BatchStore(stores);
const fedBatches = ({ stores }: Batching) => new FedBatches(stores, { add: async () => undefined });

/** A batch of the caller that the feeders of the gateways leave alone, claimed by the test. */
async function claimed(order: string): Promise<BatchRow> {
  const { stores } = gateway;
  // Feeders look at it when its time has come.
  const later = { now: () => Date.now() + 600_000 };
  const made = new Batches(stores, batches(gateway), gateway.app.get(BatchReplays), { nudge: () => undefined }, later);
  const text = Array.from({ length: lines }, (_, n) => JSON.stringify(orderOf(`${order} ${n}`))).join('\n');
  const intake = new Intake({ form: 'ndjson', stream: Readable.from([Buffer.from(text)]) });
  const { row } = await made.create(maker, intake, { idempotencyKey: null, ratePerS: undefined });
  const data = { feeder: randomUUID(), fedUntil: new Date(Date.now() + 60_000) };
  return stores.database.batch.update({ where: { id: row.id }, data });
}

function feedOf({ app, stores }: Batching, row: BatchRow, changed: Partial<BatchFeedParts> = {}): BatchFeed {
  const room = new Room(100);
  return new BatchFeed(
    {
      store: batches(gateway),
      batches: fedBatches(gateway),
      calls: app.get(Calls),
      authenticator: app.get(Authenticator),
      sealer: stores.sealer,
      jobs: stores.store,
      prepare: () => undefined,
      room: () => room,
      log: stores.log,
      now: Date.now,
      ...changed,
    },
    row,
  );
}

const timesMade = (order: string): readonly number[] =>
  Array.from({ length: lines }, (_, n) => gateway.made.filter((one) => one === `${order} ${n}`).length);
const once = Array.from({ length: lines }, () => 1);

/** The lease of a gateway that was killed is over. */
async function outlive({ id }: BatchRow): Promise<void> {
  await gateway.stores.database.batch.update({ where: { id }, data: { fedUntil: new Date() } });
}

async function settled(row: BatchRow, order: string): Promise<void> {
  await outlive(row);
  expect(await ended(caller, row.id)).toMatchObject({ state: 'completed', completed: lines, waiting: 0, active: 0, failed: 0 });
  expect(timesMade(order)).toEqual(once);
  expect((await resultsOf(caller, row.id)).map(({ index, success }) => [index, success])).toEqual(once.map((_, n) => [n, true]));
}

const dead = async (): Promise<never> => Promise.reject(new Error('killed'));

describe('A feeder that is killed', () => {
  test.each(['countsOf', 'openLines', 'take', 'write', 'cancelWaiting', 'finish', 'release'] as const)(
    'at %s leaves each call made once',
    async (step) => {
      const order = randomUUID();
      const row = await claimed(order);
      const batches = Object.assign(fedBatches(gateway), { [step]: dead, release: dead });
      await feedOf(gateway, row, { batches })
        .run()
        .catch(() => undefined);
      await settled(row, order);
    },
  );

  test.each([0, 1, 7, lines - 1])('after %d calls leaves each made once', async (before) => {
    const order = randomUUID();
    const row = await claimed(order);
    const calls = gateway.app.get(Calls);
    let made = 0;
    const start: Calls['start'] = async (request) => {
      if (made++ >= before) return dead();
      const call = await calls.start(request);
      // The call was accepted, and nobody was told.
      if (made === before) await dead();
      return call;
    };
    const feed = feedOf(gateway, row, {
      calls: { start, find: async (...asked) => calls.find(...asked), sinceWaitedMs: 0 },
      batches: Object.assign(fedBatches(gateway), { write: dead, release: dead }),
    });
    const running = feed.run().catch(() => undefined);
    await eventually(() => made > before);
    feed.leave();
    await running;
    await settled(row, order);
  });
});

test('Two feeders of one batch make each call once', async () => {
  const order = randomUUID();
  const row = await claimed(order);
  const feeds = [feedOf(gateway, row), feedOf(other, row)];
  await Promise.all(feeds.map(async (feed) => feed.run().catch(() => undefined)));
  await settled(row, order);
});

test('A feeder whose batch was given to another writes nothing any more', async () => {
  const order = `open ${randomUUID()}`;
  const row = await claimed(order);
  const feed = feedOf(gateway, row);
  const running = feed.run();
  await eventually(async () => (await shownOf(caller, row.id)).active === lines);
  await gateway.stores.database.batch.update({ where: { id: row.id }, data: { feeder: randomUUID() } });
  await running;
  expect(
    await fedBatches(gateway).write({ id: row.id, feeder: row.feeder ?? '' }, [], {
      active: 0,
      resting: 0,
      completed: 0,
      failed: 0,
      cancelled: 0,
    }),
  ).toBeNull();
  expect(await fedBatches(gateway).take({ id: row.id, feeder: row.feeder ?? '' }, { from: 0, to: 10, now: new Date() })).toEqual([]);
  await caller.delete(`/batches/${row.id}`);
  await gateway.stores.database.batch.update({ where: { id: row.id }, data: { feeder: null } });
  expect(await ended(caller, row.id)).toMatchObject({ state: 'cancelled', cancelled: lines });
});

test('What may have been called more than 23 hours ago is not called again', async () => {
  const order = randomUUID();
  const row = await claimed(order);
  await gateway.stores.database.batchLine.updateMany({
    where: { batchId: row.id, n: 3 },
    data: { state: 'tried', triedAt: new Date(Date.now() - 23.5 * 3_600_000) },
  });
  await outlive(row);
  expect(await ended(caller, row.id)).toMatchObject({ completed: lines - 1, failed: 1 });
  expect((await resultsOf(caller, row.id))[3]?.error?.message).toContain('it may have been called');
  expect(timesMade(order)[3]).toBe(0);
});

test('Neither is what its feeder had taken and said nothing of, when that was last heard of more than 23 hours ago', async () => {
  const order = randomUUID();
  const row = await claimed(order);
  const taken = await fedBatches(gateway).take({ id: row.id, feeder: row.feeder ?? '' }, { from: 0, to: 5, now: new Date() });
  expect(taken.map(({ n, state }) => [n, state])).toEqual([0, 1, 2, 3, 4].map((n) => [n, 'tried']));
  await gateway.stores.database.batch.update({ where: { id: row.id }, data: { fedUntil: new Date(Date.now() - 23.5 * 3_600_000) } });
  expect(await ended(caller, row.id)).toMatchObject({ completed: lines - 5, failed: 5 });
  expect(timesMade(order)).toEqual(once.map((one, n) => (n < 5 ? 0 : one)));
});

test('What was taken may have been called: cancelling asks for its end, and what was not taken is never called', async () => {
  const order = `open ${randomUUID()}`;
  const row = await claimed(order);
  const fed = { id: row.id, feeder: row.feeder ?? '' };
  await fedBatches(gateway).take(fed, { from: 0, to: 5, now: new Date() });
  // The feeder is killed before it has said what it called.
  await caller.delete(`/batches/${row.id}`);
  await gateway.stores.database.batch.update({ where: { id: row.id }, data: { feeder: null } });
  expect(await ended(caller, row.id)).toMatchObject({ state: 'cancelled', cancelled: lines });
  // Each of them was found, or made and cancelled: nothing is left open that was called before.
  expect(timesMade(order).slice(5)).toEqual(once.slice(5).map(() => 0));
});

test('A gateway of the version before feeds what this one has begun', async () => {
  const order = randomUUID();
  const row = await claimed(order);
  const fed = { id: row.id, feeder: row.feeder ?? '' };
  const feed = feedOf(gateway, row, { batches: Object.assign(fedBatches(gateway), { write: dead, release: dead }) });
  const running = feed.run().catch(() => undefined);
  await eventually(() => timesMade(order).some((times) => times > 0));
  feed.leave();
  await running;
  // It knows nothing of the place, and takes each line that waits.
  await gateway.stores.database.batch.update({ where: { id: row.id }, data: { taken: 0 } });
  await feedOf(gateway, { ...row, taken: 0, feeder: fed.feeder }).run();
  await settled(row, order);
});

test('A batch waits while its calls come too fast, and each is made', async () => {
  const slow = await startBatching(undefined, { RATE_LIMIT_FREE: '20' });
  try {
    const free = await slow.caller({ tier: 'free' });
    const id = await started(
      postLines(
        free,
        Array.from({ length: 45 }, (_, n) => orderOf(`f${n}`)),
      ),
    );
    expect(await ended(free, id)).toMatchObject({ state: 'completed', completed: 45, failed: 0 });
    expect([slow.made.length, new Set(slow.made).size]).toEqual([45, 45]);
  } finally {
    await slow[Symbol.asyncDispose]();
  }
}, 60_000);

test('A batch takes a quarter of what its tenant may have open', async () => {
  const small = await startBatching(undefined, { MAX_OPEN: 'profile:40', TENANT_SHARE: 'profile:0.5' });
  try {
    const by = await small.caller({});
    const id = await started(
      postLines(
        by,
        Array.from({ length: 50 }, (_, n) => orderOf(`open s${n}`)),
      ),
    );
    await eventually(async () => (await shownOf(by, id)).active === 5);
    const mine = await by.call('test_plain', { order: 'by hand' });
    expect(mine.status).toBe(200);
    expect((await shownOf(by, id)).active).toBe(5);
    await by.delete(`/batches/${id}`);
    await ended(by, id);
  } finally {
    await small[Symbol.asyncDispose]();
  }
}, 60_000);

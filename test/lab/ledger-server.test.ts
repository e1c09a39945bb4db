import { expect, test } from '@jest/globals';
import { ledgerAt } from './ledger-client.js';
import { Ledger } from './ledger-server.js';

const call = (order: string, key = `key-${order}`) => ({ order, key, attempt: 1 });
const { signal } = new AbortController();

test('the effect of a key is made once and found again', async () => {
  await using ledger = await Ledger.start();
  const { effect } = ledgerAt(ledger.url);
  expect(await effect(call('a'), signal)).toBe(await effect(call('a'), signal));
  expect(ledger.of('a')).toMatchObject({ calls: [{ key: 'key-a' }, { key: 'key-a' }], effects: [{ key: 'key-a' }] });
});

test('an order under two keys has two effects', async () => {
  await using ledger = await Ledger.start();
  const { effect } = ledgerAt(ledger.url);
  await effect(call('a', 'one'), signal);
  await effect(call('a', 'two'), signal);
  expect(ledger.of('a').effects).toHaveLength(2);
});

test('a call is held before its effect, others are not', async () => {
  await using ledger = await Ledger.start();
  const { effect } = ledgerAt(ledger.url);
  using hold = ledger.hold('before-effect', { match: ({ order }) => order === 'held' });
  const held = effect(call('held'), signal);
  await hold.reached(1);
  await effect(call('free'), signal);
  expect(ledger.of('held').effects).toEqual([]);
  expect(hold.calls).toMatchObject([{ order: 'held', key: 'key-held', pid: process.pid }]);
  hold.release();
  await held;
  expect(ledger.of('held').effects).toHaveLength(1);
});

test('what was held is done even when its caller has gone', async () => {
  await using ledger = await Ledger.start();
  const caller = new AbortController();
  using hold = ledger.hold('before-effect');
  const gone = ledgerAt(ledger.url).effect(call('a'), caller.signal);
  await hold.reached(1);
  caller.abort();
  await expect(gone).rejects.toThrow();
  hold.release();
  await ledgerAt(ledger.url).effect(call('b'), signal);
  expect(ledger.of('a').effects).toHaveLength(1);
});

test('a hold that nobody reaches says so', async () => {
  await using ledger = await Ledger.start();
  using hold = ledger.hold('attempt');
  await expect(hold.reached(1, 20)).rejects.toThrow("0 of 1 calls reached 'attempt' in 20 ms");
});

test('connections are cut before or after the effect', async () => {
  await using ledger = await Ledger.start();
  const { effect } = ledgerAt(ledger.url);
  ledger.script('a', { kind: 'reset-before' }, { kind: 'reset-after' });
  await expect(effect(call('a'), signal)).rejects.toThrow();
  expect(ledger.of('a').effects).toHaveLength(0);
  await expect(effect(call('a'), signal)).rejects.toThrow();
  expect(ledger.of('a').effects).toHaveLength(1);
  await effect(call('a'), signal);
  expect(ledger.of('a')).toMatchObject({ calls: { length: 3 }, effects: { length: 1 } });
});

test.each([
  ['2', 2_000],
  ['garbage', undefined],
  [undefined, undefined],
])('Retry-After %s is a hint of %s ms', async (retryAfter, hintMs) => {
  await using ledger = await Ledger.start();
  ledger.script('a', { kind: 'status', status: 429, ...(retryAfter !== undefined && { retryAfter }) });
  await expect(ledgerAt(ledger.url).effect(call('a'), signal)).rejects.toMatchObject({ kind: 'rate-limit', hintMs });
});

test('a Retry-After date is a hint of the time until then', async () => {
  await using ledger = await Ledger.start();
  ledger.script('a', { kind: 'status', status: 429, retryAfter: new Date(Date.now() + 30_000).toUTCString() });
  const failure = await ledgerAt(ledger.url)
    .effect(call('a'), signal)
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({ kind: 'rate-limit' });
  expect(Reflect.get(Object(failure), 'hintMs')).toBeGreaterThan(28_000);
});

test('an upstream fault is a service fault', async () => {
  await using ledger = await Ledger.start();
  ledger.usually({ kind: 'status', status: 502 });
  await expect(ledgerAt(ledger.url).effect(call('a'), signal)).rejects.toMatchObject({ kind: 'service' });
});

import { expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { TooManyWaiting } from './errors.js';
import { FairSlots } from './fair-slots.js';

const never = new AbortController().signal;
const limits = { total: 3, perTenant: 2, maxWaiting: 2, patienceMs: 20 };

/** Asks for slots, and keeps the order in which they were given. */
function asking(slots: FairSlots) {
  const given: string[] = [];
  const held = new Map<string, Disposable>();
  const failed: string[] = [];
  const ask = (name: string, signal: AbortSignal = never): void =>
    void slots.acquire(name[0] ?? '', signal).then(
      (slot) => {
        given.push(name);
        held.set(name, slot);
      },
      (error: Error) => failed.push(`${name}: ${error.name}`),
    );
  const giveBack = (name: string): void => held.get(name)?.[Symbol.dispose]();
  return { given, failed, ask, giveBack };
}
const turn = () => sleep(0);

test('a tenant gets its share, and another one finds a free slot', async () => {
  const { given, ask } = asking(new FairSlots(limits));
  for (const name of ['a1', 'a2', 'a3', 'b1']) ask(name);
  await turn();
  expect(given).toEqual(['a1', 'a2', 'b1']);
});

test('a free slot goes to the tenant with the fewest running tasks, then to the first that came', async () => {
  const { given, ask, giveBack } = asking(new FairSlots(limits));
  for (const name of ['a1', 'a2', 'b1', 'a3', 'b2', 'c1', 'b3']) ask(name);
  await turn();
  giveBack('a1');
  await turn();
  expect(given.slice(3)).toEqual(['c1']);
  giveBack('c1');
  await turn();
  expect(given.slice(4)).toEqual(['a3']);
  giveBack('a2');
  await turn();
  expect(given.slice(5)).toEqual(['b2']);
});

test('a task that is cancelled leaves the queue, and takes no slot', async () => {
  const { given, failed, ask, giveBack } = asking(new FairSlots({ ...limits, total: 1, perTenant: 1 }));
  const stop = new AbortController();
  ask('a1');
  ask('a2', stop.signal);
  ask('a3');
  stop.abort(Object.assign(new Error('gone'), { name: 'Gone' }));
  ask('a4', stop.signal);
  await turn();
  giveBack('a1');
  await turn();
  expect(failed).toEqual(['a4: Gone', 'a2: Gone']);
  expect(given).toEqual(['a1', 'a3']);
});

test('tasks of one tenant that queue up behind slow ones are refused, and only those', async () => {
  const { failed, ask } = asking(new FairSlots(limits));
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'b1', 'c1', 'c2']) ask(name);
  await sleep(3 * limits.patienceMs);
  expect(failed).toEqual([`a5: ${TooManyWaiting.name}`, `a6: ${TooManyWaiting.name}`]);
});

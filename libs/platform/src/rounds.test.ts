import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { Rounds } from './rounds.js';

const never = () => undefined;

test('rounds come one after the other, the first after one wait, until they are stopped', async () => {
  let done = 0;
  const rounds = new Rounds({ everyMs: 10, round: async () => void (done += 1), onFault: never });
  rounds.start();
  expect(done).toBe(0);
  while (done < 5) await sleep(5);
  await rounds.stop();
  const before = done;
  await sleep(50);
  expect(done).toBe(before);
});

test('a round that takes long is not begun twice, and a stop waits for it and is known to it', async () => {
  const seen: string[] = [];
  const rounds: Rounds = new Rounds({
    everyMs: 1,
    round: async () => {
      seen.push('begun');
      await sleep(100);
      seen.push(rounds.stopping.aborted ? 'stopping' : 'not stopping');
    },
    onFault: never,
  });
  rounds.start();
  while (seen.length === 0) await sleep(5);
  await rounds.stop();
  expect(seen).toEqual(['begun', 'stopping']);
});

test('a nudge begins a round at once, or right after the one that runs', async () => {
  let done = 0;
  const rounds = new Rounds({
    everyMs: 3_600_000,
    round: async () => {
      await sleep(20);
      done += 1;
    },
    onFault: never,
  });
  rounds.start();
  rounds.nudge();
  await sleep(5);
  rounds.nudge();
  while (done < 2) await sleep(5);
  await sleep(50);
  expect(done).toBe(2);
  await rounds.stop();
});

test('a round that fails is reported, and the next does not follow at once', async () => {
  const faults: unknown[] = [];
  const rounds = new Rounds({
    everyMs: 1,
    round: async () => Promise.reject(new Error('no database')),
    onFault: (error) => void faults.push(error),
  });
  rounds.start();
  await sleep(300);
  expect(faults).toHaveLength(1);
  await rounds.stop();
});

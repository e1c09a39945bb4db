import { expect, test } from '@jest/globals';
import { calcMetrics } from '#lib/contracts';
import type { HandlerContext } from '#lib/handlers';
import { RunningAttempt } from './running-attempt.js';
import { ServedFiles } from './served-files.js';

function attemptWith(context: Partial<HandlerContext<object>>): RunningAttempt {
  const caller = { tenantId: 't', userId: null, tier: 'pro', scopes: [], credentialId: 'k' } as const;
  const whole = Object.assign(Object.create(null), {
    effectKey: 'e',
    attempt: 1,
    caller,
    signal: new AbortController().signal,
    stepRecords: { earlier: async () => new Map(), keep: async () => null, now: Date.now },
    hooksAt: () => null,
    ...context,
  });
  const unused = () => Promise.reject(new Error('not to be asked for'));
  const files = new ServedFiles({
    kept: { keep: unused, remove: unused },
    pieces: { put: unused, read: unused, delete: unused },
    links: { fileOf: () => null },
    store: { attempts: { isRunning: unused }, roomFor: unused },
    now: Date.now,
  });
  return new RunningAttempt({ contract: calcMetrics, input: {}, context: whole, files, say: () => undefined, giveBack: () => undefined });
}

function recorded(): { readonly attempt: RunningAttempt; readonly outputs: unknown[] } {
  const outputs: unknown[] = [];
  const attempt = attemptWith({
    output: async (data) => {
      await new Promise((resolve) => setImmediate(resolve));
      outputs.push(...data);
    },
  });
  return { attempt, outputs };
}

const output = (number: number | undefined, ...data: readonly unknown[]) => ({
  type: 'output' as const,
  attempt: 'e.1',
  ...(number !== undefined && { number }),
  data: [...data],
});

test('outputs that are sent again, because their answer was lost, are taken once', async () => {
  const { attempt, outputs } = recorded();
  for (const batch of [[1, 2], [1, 2], [3], [2, 3]]) for (const number of batch) await attempt.receive(output(number, `o${number}`));
  expect(outputs).toEqual(['o1', 'o2', 'o3']);
});

test('so are those that come again while the first are being stored', async () => {
  const { attempt, outputs } = recorded();
  await Promise.all([1, 1, 2, 2].map((number) => attempt.receive(output(number, number))));
  expect(outputs).toEqual([1, 2]);
});

test('the time that a tool waited for others is counted, whichever way it ended', async () => {
  const counted: number[] = [];
  const countNetwork = (ms: number): void => void counted.push(ms);
  await attemptWith({ countNetwork }).receive({ type: 'done', attempt: 'e.1', data: {}, network_ms: 40 });
  const failed = attemptWith({ countNetwork });
  const ended = failed.result();
  await failed.receive({ type: 'failed', attempt: 'e.1', failure: 'network', retryable: true, network_ms: 30 });
  await expect(ended).rejects.toThrow();
  await attemptWith({ countNetwork }).receive({ type: 'done', attempt: 'e.1', data: {} });
  expect(counted).toEqual([40, 30]);
});

test('what an attempt has cost is taken until its end, and counts once however often it is sent', async () => {
  const counted: number[] = [];
  const attempt = attemptWith({ countCost: (micros) => void counted.push(micros) });
  for (const micros of [5, 5, 9]) expect(await attempt.receive({ type: 'cost', attempt: 'e.1', micros })).toBe(false);
  await attempt.receive({ type: 'done', attempt: 'e.1', data: {} });
  expect(await attempt.receive({ type: 'cost', attempt: 'e.1', micros: 100 })).toBe(false);
  expect(counted).toEqual([5, 5, 9]);
});

test('outputs without a number, of older workers, are all taken', async () => {
  const { attempt, outputs } = recorded();
  for (const data of ['a', 'a']) await attempt.receive(output(undefined, data));
  expect(outputs).toEqual(['a', 'a']);
});

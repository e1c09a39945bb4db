import { describe, expect, test } from '@jest/globals';
import { closedLoop } from './closed-loop.js';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('callers in a closed loop', () => {
  test('call one after the other, all of them at the same time', async () => {
    const open = [0, 0, 0];
    let most = 0;
    const calls = open.map((_, caller) => async () => {
      open[caller] = (open[caller] ?? 0) + 1;
      expect(open[caller]).toBe(1);
      most = Math.max(
        most,
        open.reduce((sum, one) => sum + one, 0),
      );
      await turn();
      open[caller] -= 1;
    });
    const sample = await closedLoop(calls, 20);
    expect(sample).toMatchObject({ failures: 0, firstFailure: null });
    expect([most, sample.calls >= 3]).toEqual([3, true]);
    expect(sample.p99Ms).toBeGreaterThanOrEqual(sample.p50Ms);
  });

  test('count failures apart, keep the first, and stop after twenty', async () => {
    let made = 0;
    const sample = await closedLoop([() => Promise.reject(new Error(`failure ${++made}`))], 60_000);
    expect(sample).toMatchObject({ calls: 0, failures: 20, firstFailure: 'failure 1', p50Ms: 0, p99Ms: 0 });
  });

  test('call not at all when there is no time', async () => {
    expect((await closedLoop([() => Promise.reject(new Error('called'))], 0)).failures).toBe(0);
  });
});

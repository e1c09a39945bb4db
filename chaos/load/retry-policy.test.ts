import { describe, expect, test } from '@jest/globals';
import { Random } from '../random.js';
import type { Answer } from './client.js';
import { isRetryable, RetryPolicy } from './retry-policy.js';

const answer = (status: number, error?: { readonly retryable: boolean; readonly retry_after_ms?: number }): Answer => ({
  status,
  body: undefined,
  envelope: error ? { success: false, error: { code: 'X', ...error }, metadata: { trace_id: 'trace_1' } } : null,
});
const policy = (forMs = 60_000) => new RetryPolicy({ random: new Random(1), gateway: 1, gateways: 3, forMs });

describe('a client that retries', () => {
  test.each(['refused', 'cut', 'hung'] as const)('goes to the next gateway when its request was %s', async (failure) => {
    const retry = policy();
    const visited = [retry.gateway];
    for (let time = 0; time < 3; time++) {
      await retry.pause(failure);
      visited.push(retry.gateway);
    }
    expect(visited).toEqual([1, 2, 0, 1]);
  });

  test('stays at a gateway that answers', async () => {
    const retry = policy();
    await retry.pause(answer(503, { retryable: true, retry_after_ms: 1 }));
    expect(retry.gateway).toBe(1);
  });

  test('gives up after its time', () => {
    expect([policy(60_000).isOver, policy(-1).isOver]).toEqual([false, true]);
  });

  test.each([
    [429, undefined, true],
    [503, undefined, true],
    [504, undefined, true],
    [500, { retryable: true }, true],
    [500, { retryable: false }, false],
    [500, undefined, false],
    [404, undefined, false],
    [204, undefined, false],
  ])('takes %d with %j as retryable: %s', (status, error, expected) => {
    expect(isRetryable(answer(status, error))).toBe(expected);
  });
});

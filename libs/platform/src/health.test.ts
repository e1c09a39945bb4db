import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { checkHealth } from './health.js';

afterEach(() => void jest.useRealTimers());

const up = async () => 'PONG';
const down = (error: unknown) => () => Promise.reject(error);

describe('a process', () => {
  test('is ready when every dependency answers', async () => {
    expect(await checkHealth({ redis: up, postgres: up })).toEqual({
      status: 'ready',
      dependencies: {
        redis: { state: 'up', latency_ms: expect.any(Number) },
        postgres: { state: 'up', latency_ms: expect.any(Number) },
      },
    });
  });

  test('is ready without any dependency', async () => expect((await checkHealth({})).status).toBe('ready'));

  test('is not ready when one of them is down, and says which one', async () => {
    const health = await checkHealth({ redis: up, postgres: down(new Error('no')) });
    expect(health).toMatchObject({ status: 'not-ready', dependencies: { redis: { state: 'up' }, postgres: { state: 'down' } } });
  });

  test('that stops is not ready, although all answer', async () => {
    expect(await checkHealth({ redis: up }, true)).toMatchObject({ status: 'not-ready', dependencies: { redis: { state: 'up' } } });
  });

  test('waits for none of them longer than 1.5 seconds, and asks all at once', async () => {
    jest.useFakeTimers({ doNotFake: ['performance', 'queueMicrotask', 'nextTick'] });
    const timeout = jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), ms);
      return controller.signal;
    });
    const hanging = () => new Promise<never>(() => undefined);
    const health = checkHealth({ redis: hanging, postgres: hanging });
    await jest.advanceTimersByTimeAsync(1_500);
    const late = { state: 'down', error: 'no answer in 1500 ms' };
    expect(await health).toMatchObject({ dependencies: { redis: late, postgres: late } });
    timeout.mockRestore();
  });
});

describe('the fault of a dependency', () => {
  test.each([
    ['is its code where it has one', Object.assign(new Error('connect to secret-host:5432'), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
    ['of an aggregate is that of its first part', new AggregateError([Object.assign(new Error('x'), { code: 'ENOTFOUND' })]), 'ENOTFOUND'],
    [
      'is the last line of its message otherwise',
      new Error('Invalid call:\n\nserver has closed the connection'),
      'server has closed the connection',
    ],
    ['is cut at 200 characters', new Error('x'.repeat(300)), 'x'.repeat(200)],
    ['is told as such when it is no error', 'text', 'failed'],
  ])('%s', async (_name, thrown, shown) => {
    expect((await checkHealth({ redis: down(thrown) })).dependencies['redis']?.error).toBe(shown);
  });
});

import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { defineTool, type Caller } from '#lib/contracts';
import { TooManyWaiting } from '#lib/sandbox';
import { Failure } from './failures.js';
import { handlersWith, type Handler } from './handle.js';
import { runTool, type Attempt } from './run-tool.js';

const sample = defineTool({
  name: 'sample',
  version: '1.0.0',
  title: 'Sample',
  description: 'A tool that does what its test asks for.',
  domain: 'profile',
  effect: 'read',
  input: z.strictObject({ n: z.int().describe('A number.') }),
  output: z.strictObject({ n: z.int() }),
  errors: { NOT_THERE: 'RESOURCE_NOT_FOUND' },
  failures: { network: 'N', timeout: 'T', 'rate-limit': 'R', service: 'S', internal: 'I' },
  timeoutMs: 60,
  estimatedTokens: 5,
  examples: [{ input: { n: 1 }, output: { n: 1 } }],
});

interface Services {
  readonly double: (n: number) => number;
}
const handle = handlersWith<Services>();
const services: Services = { double: (n) => 2 * n };
const caller: Caller = { tenantId: 't', userId: 'u', tier: 'pro', scopes: [], credentialId: 'k' };

function attempt(rest: Partial<Attempt> = {}): Attempt {
  return {
    jobId: 'inv_profile_x',
    number: 1,
    input: { n: 1 },
    caller,
    sessionId: null,
    stop: new AbortController().signal,
    onProgress: () => undefined,
    ...rest,
  };
}

const run = (handler: Handler<Services>, rest: Partial<Attempt> = {}) => runTool(handler, services, attempt(rest));

describe('an attempt', () => {
  test('gives the checked output with what the handler said', async () => {
    const handler = handle(sample, ({ n }, { double, setMessage, warn }) => {
      setMessage('Doubled.');
      warn('Careful.');
      return { n: double(n) };
    });
    expect(await run(handler, { input: { n: 21 } })).toMatchObject({
      kind: 'done',
      data: { n: 42 },
      message: 'Doubled.',
      warnings: ['Careful.'],
    });
  });

  test('that refuses with a literal of its contract is a result', async () => {
    const handler = handle(sample, (_input, { error }) => {
      throw error('NOT_THERE', 'There is none');
    });
    expect(await run(handler)).toMatchObject({
      kind: 'refused',
      error: { code: 'RESOURCE_NOT_FOUND', native_code: 'NOT_THERE', message: 'There is none' },
    });
  });

  test.each(['OTHER', 'constructor', '__proto__'])('that refuses with %s, not in its contract, is an internal failure', async (literal) => {
    const handler: Handler<Services> = { contract: sample, run: async (_, { refusal }) => Promise.reject(refusal(literal, 'No')) };
    expect(await run(handler)).toMatchObject({ kind: 'failed', failure: 'internal' });
  });

  test('whose output breaks the contract is an internal failure, never a success', async () => {
    const handler: Handler<Services> = { contract: sample, run: async () => ({ n: 'many', secret: 'x' }) };
    expect(await run(handler)).toMatchObject({ kind: 'failed', failure: 'internal', error: { code: 'EXECUTION_ERROR', native_code: 'I' } });
  });

  test('that throws anything at all is a failure with our words, not the thrower’s', async () => {
    for (const thrown of [
      new Error('password=hunter2'),
      'text',
      null,
      undefined,
      { a: 1 },
      Object.assign(new Error('x'), { cause: null }),
    ]) {
      const handler: Handler<Services> = { contract: sample, run: () => Promise.reject(thrown) };
      const result = await run(handler);
      expect(result).toMatchObject({ kind: 'failed', failure: 'internal', error: { code: 'EXECUTION_ERROR' } });
      expect(JSON.stringify('error' in result && result.error)).not.toContain('hunter2');
    }
  });

  test('that fails as a client of its upstream says keeps the kind and the hint', async () => {
    const handler = handle(sample, () => {
      throw new Failure('rate-limit', 'slow down', { hintMs: 1_500.2 });
    });
    expect(await run(handler)).toMatchObject({
      kind: 'failed',
      failure: 'rate-limit',
      hintMs: 1_500.2,
      error: { code: 'RATE_LIMITED', native_code: 'R', retry_after_ms: 1_501 },
    });
  });

  test.each([
    ['another side’s', new Failure('rate-limit', 'slow down'), 'The service behind this tool asks to slow down'],
    ['ours', new TooManyWaiting('9 wait'), 'Too many calls of your tenant wait for this tool; call again when some of them have ended'],
  ])('that meets a limit says whose it is: %s', async (_whose, thrown, message) => {
    const handler: Handler<Services> = { contract: sample, run: () => Promise.reject(thrown) };
    expect(await run(handler)).toMatchObject({ kind: 'failed', error: { code: 'RATE_LIMITED', message } });
  });

  test('that takes too long is a timeout, even when it ignores its signal', async () => {
    const handler = handle(sample, () => new Promise<never>(() => undefined));
    const result = await run(handler);
    expect(result).toMatchObject({ kind: 'failed', failure: 'timeout', error: { code: 'TIMEOUT', native_code: 'T' } });
    expect(result.executionMs).toBeGreaterThanOrEqual(55);
  });

  test('that nobody wants any more is stopped, and its signal fires', async () => {
    const stop = new AbortController();
    let fired = false;
    const handler = handle(sample, (_input, { signal }) => {
      signal.addEventListener('abort', () => (fired = true));
      stop.abort();
      return new Promise<never>(() => undefined);
    });
    expect((await run(handler, { stop: stop.signal })).kind).toBe('stopped');
    expect(fired).toBe(true);
  });

  test('reports progress on after a percentage that is no number', async () => {
    const seen: number[] = [];
    const handler = handle(sample, (_input, { progress }) => {
      for (const percent of [10, 0 / 0, 50]) progress(percent, 'm');
      return { n: 1 };
    });
    await run(handler, { onProgress: (percent) => seen.push(percent) });
    expect(seen).toEqual([10, 10, 50]);
  });

  test('reports progress that never falls', async () => {
    const seen: number[] = [];
    const handler = handle(sample, (_input, { progress }) => {
      for (const percent of [10, 50, 30, 250, -4]) progress(percent, 'm');
      return { n: 1 };
    });
    await run(handler, { onProgress: (percent) => seen.push(percent) });
    expect(seen).toEqual([10, 50, 50, 100, 100]);
  });

  test('counts the time it waited for others apart', async () => {
    const handler = handle(sample, async (_input, { network }) => {
      await network(() => new Promise((resolve) => setTimeout(resolve, 20)));
      return { n: 1 };
    });
    const { networkMs, executionMs } = await run(handler);
    expect(networkMs).toBeGreaterThanOrEqual(18);
    expect(executionMs).toBeGreaterThanOrEqual(networkMs);
  });

  test('counts what a worker of a tenant has measured, and no more than the attempt took', async () => {
    const told = async (ms: number) =>
      run(
        handle(sample, async (_input, { countNetwork }) => {
          await new Promise((resolve) => setTimeout(resolve, 20));
          countNetwork(ms);
          return { n: 1 };
        }),
      );
    expect((await told(5)).networkMs).toBe(5);
    const { networkMs, executionMs } = await told(60_000);
    expect(networkMs).toBe(executionMs);
  });

  test('sums what it reports, and a report that is none fails it: negative, a fraction, no number, too much', async () => {
    const told: number[] = [];
    const handler = handle(sample, (_input, { cost }) => {
      for (let times = 0; times < 10_000; times++) cost(3);
      cost(0);
      return { n: 1 };
    });
    expect((await run(handler, { onCost: (micros) => void told.push(micros) })).reportedMicros).toBe(30_000);
    expect(told.at(-1)).toBe(30_000);
    for (const micros of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 1_000_000_001, 2 ** 60]) {
      const failing = handle(sample, (_input, { cost }) => {
        cost(7);
        cost(micros);
        return { n: 1 };
      });
      const failed = await run(failing);
      expect(failed).toMatchObject({ kind: 'failed', failure: 'internal', retryable: true, reportedMicros: 7 });
      expect(failed.kind === 'failed' && String(failed.cause)).toMatch(/^RangeError: A cost is a whole number of millionths/);
    }
    const greedy = handle(sample, (_input, { cost }) => {
      for (let times = 0; times <= 1_000; times++) cost(1_000_000_000);
      return { n: 1 };
    });
    expect(await run(greedy)).toMatchObject({ kind: 'failed', reportedMicros: 1_000_000_000_000 });
  });

  test('counts no report that comes after its end', async () => {
    let late = (_micros: number): void => undefined;
    const told: number[] = [];
    const handler = handle(sample, (_input, { cost }) => {
      late = cost;
      cost(5);
      return { n: 1 };
    });
    const { reportedMicros } = await run(handler, { onCost: (micros) => void told.push(micros) });
    late(100);
    expect([reportedMicros, told]).toEqual([5, [5]]);
  });

  test('parses its input again: the queue is a boundary too', async () => {
    const handler = handle(sample, ({ n }) => ({ n }));
    expect(await run(handler, { input: { n: 'x' } })).toMatchObject({ kind: 'failed', failure: 'internal' });
  });
});

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { givenStores } from '#lib/testing';
import { randomBytes } from 'node:crypto';
import { deleteOldEffects, runOnce } from './effects.js';
import { TestCanvas } from './test-canvas.js';

let canvas: TestCanvas;
beforeAll(() => void (canvas = new TestCanvas(givenStores().databaseUrl)));
afterAll(async () => canvas[Symbol.asyncDispose]());

const newKey = (): string => `effect-${randomBytes(6).toString('hex')}`;
const open = (key: string, signal = new AbortController().signal) => ({ key, signal, timeoutMs: 5_000 });
const effectOf = async (key: string): Promise<readonly { answer: unknown }[]> =>
  canvas.services.database.$queryRaw`SELECT answer FROM memotree_effect WHERE key = ${key}`;

describe('work with a key', () => {
  test('runs once: later runs get the answer of the first', async () => {
    const key = newKey();
    let runs = 0;
    const work = async () => ({ run: ++runs, text: '文字', list: [1, null] });
    const first = await runOnce(canvas.services.database, open(key), work);
    expect(first).toEqual({ run: 1, text: '文字', list: [1, null] });
    expect(await runOnce(canvas.services.database, open(key), work)).toEqual(first);
    expect(runs).toBe(1);
  });

  test('runs for each key', async () => {
    const answers = await Promise.all(['a', 'b'].map((word) => runOnce(canvas.services.database, open(newKey()), async () => word)));
    expect(answers).toEqual(['a', 'b']);
  });

  test('that runs twice at the same time has one effect: the second waits for the first', async () => {
    const key = newKey();
    let runs = 0;
    const run = () => runOnce(canvas.services.database, open(key), async () => ++runs);
    expect(await Promise.all([run(), run(), run()])).toEqual([1, 1, 1]);
    expect(runs).toBe(1);
  });

  test('that failed leaves nothing, and runs again', async () => {
    const key = newKey();
    await expect(
      runOnce(canvas.services.database, open(key), async (runner) => {
        await runner.$executeRaw`INSERT INTO memotree_workspace (tenant_id, name) VALUES (${key}, 'half')`;
        throw new Error('broken');
      }),
    ).rejects.toThrow('broken');
    expect(await canvas.services.database.$queryRaw`SELECT 1 FROM memotree_workspace WHERE tenant_id = ${key}`).toEqual([]);
    expect(await runOnce(canvas.services.database, open(key), async () => 'again')).toBe('again');
  });

  test('that was cancelled meanwhile leaves nothing', async () => {
    const key = newKey();
    const stop = new AbortController();
    const run = runOnce(canvas.services.database, open(key, stop.signal), async () => {
      stop.abort(new Error('cancelled'));
      return 'too late';
    });
    await expect(run).rejects.toThrow('cancelled');
    expect(await effectOf(key)).toEqual([]);
  });
});

test.each([
  ['older than three days', 73, 0],
  ['younger', 71, 1],
])('an effect that is %s is there afterwards: %i hours → %i', async (_what, hours, left) => {
  const key = newKey();
  await runOnce(canvas.services.database, open(key), async () => 'x');
  await canvas.services.database
    .$executeRaw`UPDATE memotree_effect SET at = now() - make_interval(hours => ${hours}::int) WHERE key = ${key}`;
  await deleteOldEffects(canvas.services.database);
  expect(await effectOf(key)).toHaveLength(left);
});

import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { defineTool } from '#lib/contracts';
import { handle } from './handle.js';
import { testTool } from './tested-tool.js';
import { tool as toolOf } from './tool.js';

const quote = defineTool({
  name: 'make_quote',
  version: '1.0.0',
  title: 'Quote',
  description: 'Price one order of a customer in euros.',
  domain: 'own-sales',
  effect: 'read',
  input: z.strictObject({ units: z.int().min(1).describe('How many, at least 1.') }),
  output: z.strictObject({ total: z.number() }),
  errors: { SOLD_OUT: 'CONFLICT' },
  timeoutMs: 50,
  estimatedTokens: 10,
  examples: [{ input: { units: 1 }, output: { total: 10 } }],
});

const tool = handle(quote, async ({ units }, { error, progress, effectKey }) => {
  progress(50, 'half');
  if (units === 2) throw error('SOLD_OUT', 'Nothing is left');
  if (units === 3) throw new Error('a bug of mine');
  if (units === 4) await new Promise(() => undefined);
  if (units === 5) return { total: Number.NaN };
  return { total: units * 10 + (effectKey === 'k' ? 1 : 0) };
});

test('a result comes with what the tool said on the way', async () => {
  expect(await testTool(tool, { units: 1 })).toMatchObject({
    kind: 'done',
    data: { total: 10 },
    progress: [{ percent: 50, message: 'half' }],
  });
  expect(await testTool(tool, { units: 1 }, { effectKey: 'k' })).toMatchObject({ data: { total: 11 } });
});

test('a refusal is a result', async () => {
  expect(await testTool(tool, { units: 2 })).toMatchObject({
    kind: 'refused',
    error: { native_code: 'SOLD_OUT', message: 'Nothing is left' },
  });
});

test.each<[string, unknown, RegExp]>([
  ['a bug shows itself', { units: 3 }, /a bug of mine/],
  ['parameters that do not fit show the fault', { units: 'x' }, /expected number/],
  ['the time limit holds', { units: 4 }, /not done in 50 ms|aborted/],
  ['an answer that breaks the contract says so', { units: 5 }, /breaks the contract/],
])('%s', async (_, input, cause) => {
  await expect(testTool(tool, input)).rejects.toThrow(cause);
});

test('a tool that rests is run attempt by attempt, with what it has kept', async () => {
  const done: string[] = [];
  const order = toolOf({ name: 'order', description: 'Order.', input: z.object({}) }, async (_input, { step, sleep }) => {
    const id = await step('charge', () => done.push('charge'));
    await sleep('a day', 86_400_000);
    await step('send', () => done.push('send'));
    return { id };
  });
  const first = await testTool(order, {});
  expect(first).toMatchObject({ kind: 'resting', waits: [{ name: 'a day', reason: 'sleep' }] });
  expect(await testTool(order, {}, { attempt: 2, steps: first.steps, now: Date.now() + 86_400_001 })).toMatchObject({
    kind: 'done',
    data: { id: 1 },
  });
  expect(done).toEqual(['charge', 'send']);
});

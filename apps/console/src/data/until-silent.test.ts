import { expect, test } from '@jest/globals';
import { untilSilent } from './until-silent.js';

async function* says(words: readonly string[], thenHangs: boolean): AsyncGenerator<string> {
  yield* words;
  if (thenHangs) await new Promise(() => undefined);
}

async function heard(values: AsyncIterable<string>): Promise<readonly string[]> {
  const all: string[] = [];
  try {
    for await (const value of untilSilent(values, 30)) all.push(value);
  } catch (error) {
    all.push(error instanceof Error ? error.name : 'another');
  }
  return all;
}

test('a stream that ends is not silent, and one that hangs is', async () => {
  expect(await heard(says(['a', 'b'], false))).toEqual(['a', 'b']);
  expect(await heard(says(['a', 'b'], true))).toEqual(['a', 'b', 'Silence']);
});

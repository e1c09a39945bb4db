import { expect, test } from '@jest/globals';
import type { CachedAnswer } from './invocation.js';
import { RecentAnswers } from './recent-answers.js';

const answer = (leftMs = 60_000, characters = 100): CachedAnswer => ({
  kind: 'cached',
  entry: { cachedAt: 1, outcome: { ok: true, data: { made: 'a' } } },
  leftMs,
  characters,
});

test('An answer is given again for less than a second, and not beyond its own life', () => {
  const answers = new RecentAnswers();
  answers.keep('long', answer(), 5_000);
  answers.keep('short', answer(400), 5_000);
  expect(answers.find('long', 5_999)).toMatchObject({ leftMs: 59_001 });
  expect(answers.find('long', 6_000)).toBeNull();
  expect(answers.find('short', 5_399)).toMatchObject({ leftMs: 1 });
  expect(answers.find('short', 5_400)).toBeNull();
  expect(answers.find('long', 4_999)).toBeNull();
  expect(answers.find('other', 5_001)).toBeNull();
});

test('What is kept is bounded in number and in size, and what is over is not kept', () => {
  const answers = new RecentAnswers();
  for (let n = 0; n < 3_000; n++) answers.keep(`n${n}`, answer(), 5_000);
  expect(answers.find('n0', 5_001)).toBeNull();
  expect(answers.find('n2999', 5_001)).not.toBeNull();
  answers.keep('large', answer(60_000, 10_000_000), 5_002);
  answers.keep('larger', answer(60_000, 10_000_000), 5_003);
  expect(answers.find('large', 5_004)).toBeNull();
  expect(answers.find('larger', 5_004)).not.toBeNull();
  answers.keep('too large', answer(60_000, 20_000_000), 5_005);
  expect(answers.find('too large', 5_006)).toBeNull();
  answers.keep('later', answer(), 6_500);
  expect(answers.find('larger', 6_500)).toBeNull();
});

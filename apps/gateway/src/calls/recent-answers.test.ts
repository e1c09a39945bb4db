import { expect, test } from '@jest/globals';
import type { CachedAnswer } from './accepted-call.js';
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
  expect(answers.find('long', 5_699)).toMatchObject({ leftMs: 59_301 });
  expect(answers.find('long', 6_000)).toBeNull();
  expect(answers.find('short', 5_399)).toMatchObject({ leftMs: 1 });
  expect(answers.find('short', 5_400)).toBeNull();
  expect(answers.find('long', 4_999)).toBeNull();
  expect(answers.find('other', 5_001)).toBeNull();
});

test('After 0.7 s one caller asks again, while the others have the answer until its second is over', () => {
  const answers = new RecentAnswers();
  answers.keep('a', answer(), 5_000);
  expect(answers.find('a', 5_700)).toBeNull();
  expect(answers.find('a', 5_701)).not.toBeNull();
  // Nobody came back with it.
  expect(answers.find('a', 5_999)).not.toBeNull();
  expect(answers.find('a', 6_000)).toBeNull();
  answers.keep('a', answer(), 6_000);
  expect(answers.find('a', 6_650)).not.toBeNull();
  answers.keep('a', answer(), 6_651);
  expect(answers.find('a', 7_300)).not.toBeNull();
});

test('Many answers do not end at the same moment', () => {
  const answers = new RecentAnswers();
  for (let n = 0; n < 1_500; n++) answers.keep(`n${n}`, answer(), 5_000 + n);
  const isKept = (n: number) => answers.find(`n${n}`, 6_499) !== null;
  expect([isKept(499), isKept(900), isKept(1_499)]).toEqual([false, true, true]);
});

test('What is kept is bounded in number and in size, and what is over is not kept', () => {
  const answers = new RecentAnswers();
  for (let n = 0; n < 12_000; n++) answers.keep(`n${n}`, answer(), 5_000);
  expect(answers.find('n0', 5_001)).toBeNull();
  expect(answers.find('n11999', 5_001)).not.toBeNull();
  answers.keep('large', answer(60_000, 10_000_000), 5_002);
  answers.keep('larger', answer(60_000, 10_000_000), 5_003);
  expect(answers.find('large', 5_004)).toBeNull();
  expect(answers.find('larger', 5_004)).not.toBeNull();
  answers.keep('too large', answer(60_000, 20_000_000), 5_005);
  expect(answers.find('too large', 5_006)).toBeNull();
  answers.keep('later', answer(), 6_500);
  expect(answers.find('larger', 6_500)).toBeNull();
});

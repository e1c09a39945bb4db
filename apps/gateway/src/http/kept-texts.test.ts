import { expect, test } from '@jest/globals';
import { KeptTexts } from './kept-texts.js';

/** Says which texts were made. */
function texts(mostBytes?: number) {
  const made: string[] = [];
  const kept = new KeptTexts(mostBytes);
  const ask = (object: object, name: string, text = name) =>
    kept.of(object, name, () => {
      made.push(name);
      return text;
    });
  return { made, ask };
}

test('A text is made once for each object and name', () => {
  const { made, ask } = texts();
  const [one, other] = [{}, {}];
  expect(ask(one, 'a', 'ä').bytes.toString()).toBe('ä');
  expect(ask(one, 'a')).toBe(ask(one, 'a'));
  ask(one, 'b');
  ask(other, 'a');
  expect(made).toEqual(['a', 'b', 'a']);
});

test('The text that was asked for longest ago goes when all are too large', () => {
  const { made, ask } = texts(10_000);
  const object = {};
  for (const name of ['aaaa', 'bbbb', 'aaaa', 'cccc', 'aaaa', 'bbbb']) ask(object, name, name.repeat(1_000));
  expect(made).toEqual(['aaaa', 'bbbb', 'cccc', 'bbbb']);
});

test('A text that is too large alone is given and not kept', () => {
  const { made, ask } = texts(3);
  const object = {};
  expect([ask(object, 'long'), ask(object, 'long')].map(({ bytes }) => bytes.toString())).toEqual(['long', 'long']);
  expect(made).toEqual(['long', 'long']);
});

test('Many short texts of long names are not kept either', () => {
  const { made, ask } = texts(10_000);
  const object = {};
  const names = Array.from({ length: 10 }, (_, index) => `${index}`.padEnd(2_000));
  for (const name of [...names, ...names]) ask(object, name, '');
  expect(made).toHaveLength(20);
});

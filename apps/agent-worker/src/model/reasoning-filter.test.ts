import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { anyText } from '#lib/testing';
import { ReasoningFilter } from './reasoning-filter.js';

function shown(pieces: readonly string[], startsInside = false): string {
  const filter = new ReasoningFilter(startsInside);
  return pieces.map((piece) => filter.push(piece)).join('') + filter.end();
}

/** A text cut into pieces at any places. */
const inPieces = (text: string) =>
  fc.array(fc.nat(text.length), { maxLength: 8 }).map((cuts) => {
    const places = [0, ...cuts.toSorted((a, b) => a - b), text.length];
    return places.slice(1).map((to, index) => text.slice(places[index], to));
  });

describe('what a model thinks', () => {
  test.each([
    ['<think>plan</think>answer', 'answer'],
    ['\n <think>\nplan\n</think>\n\nanswer\n', 'answer\n'],
    ['<Thinking>a < b </thinking>An <think>example</think>.', 'An <think>example</think>.'],
    ['<reasoning></reasoning>x', 'x'],
    ['<think>never closed', ''],
    ['<think>plan</think>', ''],
  ])('is left out, however it comes: %j', (text, answer) => {
    fc.assert(fc.property(inPieces(text), (pieces) => expect(shown(pieces)).toBe(answer)));
  });

  test('that begins in the template of the model is left out where the setting says so', () => {
    fc.assert(fc.property(inPieces('plan</think>\nanswer'), (pieces) => expect(shown(pieces, true)).toBe('answer')));
  });
});

test.each([['Hello'], ['The tag <think> opens.'], ['<thin'], ['<'], [' \n<p>'], ['<thinker> is'], ['']])(
  'an answer stays whole: %j',
  (text) => {
    fc.assert(fc.property(inPieces(text), (pieces) => expect(shown(pieces)).toBe(text)));
  },
);

test('any text without such a tag at its beginning stays whole', () => {
  const text = anyText().filter((one) => !/^\s*<(think|thinking|thought|reasoning)>/i.test(one));
  fc.assert(fc.property(text.chain(inPieces), (pieces) => expect(shown(pieces)).toBe(pieces.join(''))));
});

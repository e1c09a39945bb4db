import { expect, test } from '@jest/globals';
import { unmasked } from './edited-arguments.js';

const original = { amount: 5, card: { number: '4242', name: 'Ann' }, items: [{ sku: 'a', note: 'private' }] };
const shown = { amount: 5, card: { number: '[redacted]', name: 'Ann' }, items: [{ sku: 'a', note: '[redacted]' }] };

test('what is still masked is what it was, and the rest is as it is given', () => {
  const given = { ...shown, amount: 3 };
  expect(unmasked(given, original, shown)).toEqual({ input: { ...original, amount: 3 }, left: [] });
});

test('a mask stands for nothing in another place', () => {
  const given = { amount: '[redacted]', card: { name: '[redacted]' }, items: [{ sku: 'b' }, { sku: 'a', note: '[redacted]' }] };
  expect(unmasked(given, original, shown).left).toEqual(['amount', 'card.name', 'items.1.note']);
});

test('names of the prototype find nothing', () => {
  expect(unmasked({ constructor: '[redacted]' }, original, shown).left).toEqual(['constructor']);
});

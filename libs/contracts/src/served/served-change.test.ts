import { expect, test } from '@jest/globals';
import { shapeOf } from '../derive/contract-shape.js';
import { continuesMajor, refusedChange } from './served-change.js';
import { servedContract } from './served-contract.js';
import { announced, place } from './test-served.js';

const shape = (more: Parameters<typeof announced>[0] = {}) => shapeOf(servedContract(place, announced(more)));
const withTax = { type: 'object', properties: { total: { type: 'number' }, tax: { type: 'number' } }, required: ['total'] };
const withoutTotal = { type: 'object', properties: { tax: { type: 'number' } }, additionalProperties: false };
const tax = [{ input: { customer: 'c', units: 1 }, output: { tax: 1 } }];

test('what was published may be announced again, also in better words', () => {
  expect(refusedChange(shape({ description: 'Price one order, and say how the price came about.' }), [shape()])).toBeNull();
});

test('another contract under a published version is refused with what differs', () => {
  expect(refusedChange(shape({ output: withTax }), [shape()])).toMatch(
    /^make_quote 1\.0\.0 is not what was published under that version \(.*output\.tax was added.*\): give it a new version$/,
  );
});

test('a version that breaks callers of the one before needs a new major version', () => {
  const next = { output: withoutTotal, examples: tax };
  expect(refusedChange(shape({ ...next, version: '1.1.0' }), [shape()])).toBe(
    'make_quote 1.1.0 breaks callers of 1.0.0 (output.total was removed; it may have been renamed to tax): it needs a new major version',
  );
  expect(refusedChange(shape({ ...next, version: '2.0.0' }), [shape()])).toBeNull();
});

test('a version is compared with the one before it, also when newer ones exist', () => {
  const published = [shape(), shape({ version: '1.2.0' }), shape({ version: '10.0.0', output: withoutTotal, examples: tax })];
  expect(refusedChange(shape({ version: '1.10.0', output: withoutTotal, examples: tax }), published)).toMatch(/breaks callers of 1\.2\.0/);
  expect(refusedChange(shape({ version: '1.10.0', output: { ...withTax, additionalProperties: false } }), published)).toBeNull();
});

test('a version continues those of its major number alone', () => {
  expect(continuesMajor({ version: '1.4.0' }, [shape()])).toBe(true);
  expect(continuesMajor({ version: '10.0.0' }, [shape()])).toBe(false);
});

test('the order of properties is none of the contract: the database keeps another', () => {
  const both = [{ input: { customer: 'c', units: 1 }, output: { total: 1, tax: 1 } }];
  const { total, tax: rate } = withTax.properties;
  const one = { output: { ...withTax, required: ['total', 'tax'] }, examples: both };
  const other = { output: { ...withTax, properties: { tax: rate, total }, required: ['tax', 'total'] }, examples: both };
  expect(refusedChange(shape(one), [shape(other)])).toBeNull();
});

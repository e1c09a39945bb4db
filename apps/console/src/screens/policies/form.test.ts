import { expect, test } from '@jest/globals';
import { bodyOf, newForm } from './form.js';

const form = { ...newForm, name: 'heavy', when: ' args.weight_kg > 200.0 ', hours: '1.5', self: true };

test('how long a person has, and who may be that person, belong to ask alone', () => {
  expect(bodyOf(form)).toEqual({ when: 'args.weight_kg > 200.0', then: 'ask', expires_ms: 5_400_000, self: true });
  expect(bodyOf({ ...form, then: 'deny', message: 'No.' })).toEqual({ when: 'args.weight_kg > 200.0', then: 'deny', message: 'No.' });
});

test('a name and a condition are needed', () => {
  expect([bodyOf({ ...form, name: '' }), bodyOf({ ...form, when: '  ' })]).toEqual([null, null]);
});

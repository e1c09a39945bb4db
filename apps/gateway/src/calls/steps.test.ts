import { expect, test } from '@jest/globals';
import { Steps, stepsIn } from './steps.js';

test('steps are read from the text as they were noted, in their order', () => {
  const steps = new Steps();
  const validated = steps.note('validation', performance.now());
  steps.note('limits', validated);
  const [first, second] = stepsIn(steps.text);
  expect([first?.name, second?.name]).toEqual(['validation', 'limits']);
  expect(second?.offsetMs).toBeGreaterThanOrEqual(first?.offsetMs ?? Infinity);
});

test('a request without a call has none, and a batch has the first of many', () => {
  const steps = new Steps();
  expect([steps.text, stepsIn(steps.text)]).toEqual(['', []]);
  for (let call = 0; call < 50; call++) steps.note('wait', performance.now());
  expect(stepsIn(steps.text)).toHaveLength(20);
});

test.each([undefined, 3, '', 'x', 'wait 1', 'wait -1 2', 'wait 1 2 3', '<b> 1 2'])('%j holds no steps', (attribute) => {
  expect(stepsIn(attribute)).toEqual([]);
});

import { expect, test } from '@jest/globals';
import { BoundedLabel } from './bounded-label.js';

test('the first values keep their names, all later ones are "other"', () => {
  const label = new BoundedLabel(2);
  expect(['a', 'b', 'c', 'a', 'd', 'b'].map((value) => label.of(value))).toEqual(['a', 'b', 'other', 'a', 'other', 'b']);
});

import { expect, test } from '@jest/globals';
import { Taken } from './taken.js';

test('a refusal costs a point, and one more for each 250 values of the body, once', () => {
  const taken = new Taken();
  taken.values = 600;
  taken.chargeRefusal({ family: 'INVALID_PARAMS' });
  expect(taken).toMatchObject({ points: 3, values: 0 });
  taken.chargeRefusal({ family: 'PERMISSION_DENIED' });
  expect(taken.points).toBe(4);
});

test.each(['RATE_LIMITED', 'EXECUTION_ERROR', 'NETWORK_ERROR'] as const)('%s costs nothing', (family) => {
  const taken = new Taken();
  taken.values = 600;
  taken.chargeRefusal({ family });
  expect(taken).toMatchObject({ points: 0, values: 600 });
});

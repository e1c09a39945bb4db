import { expect, test } from '@jest/globals';
import { changeOf } from './change.js';

test('only what an update changed is compared, and secrets are named alone', () => {
  const before = { name: 'heavy', when: 'a', message: 'Too heavy.', enabled: true };
  expect(changeOf({ changed: ['secret', 'when'], facts: { ...before, when: 'b', enabled: false } }, before)).toEqual({
    before: 'when: "a"\n',
    after: 'when: "b"\n',
    hidden: ['secret'],
  });
});

test('a column that there was not before is null there', () => {
  expect(changeOf({ changed: ['revoked_at'], facts: { revoked_at: '2026-11-27' } }, {})).toEqual({
    before: 'revoked_at: null\n',
    after: 'revoked_at: "2026-11-27"\n',
    hidden: [],
  });
});

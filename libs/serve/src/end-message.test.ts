import { expect, test } from '@jest/globals';
import { endMessage } from './end-message.js';

const measured = { executionMs: 1, networkMs: 0, upstreamAnswers: {} };
const long = 'x'.repeat(3_000);

test('What a tool says is cut to what the gateway takes, so that its result is not refused for it', () => {
  const facts = { order: long, units: 2 };
  expect(endMessage({ kind: 'done', data: {}, warnings: Array(25).fill(long), facts, ...measured })).toEqual({
    type: 'done',
    data: {},
    warnings: Array(20).fill('x'.repeat(2_000)),
    facts: { order: 'x'.repeat(200), units: 2 },
  });
  const detail = { path: long, message: long };
  const error = { code: 'CONFLICT', family: 'CONFLICT', native_code: 'SOLD_OUT', message: long, details: Array(60).fill(detail) } as const;
  expect(endMessage({ kind: 'refused', error, facts: {}, ...measured })).toEqual({
    type: 'refused',
    error: 'SOLD_OUT',
    message: 'x'.repeat(2_000),
    details: Array(50).fill({ path: 'x'.repeat(200), message: 'x'.repeat(2_000) }),
  });
});

test('and never within a character: the gateway takes no half of a surrogate pair', () => {
  const warnings = [`x${'😀'.repeat(2_000)}`];
  expect(endMessage({ kind: 'done', data: {}, warnings, facts: {}, ...measured })).toMatchObject({
    warnings: [`x${'😀'.repeat(999)}\u{fffd}`],
  });
});

import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { endMessage } from './end-message.js';

const measured = { executionMs: 1, networkMs: 0, reportedMicros: 0, upstreamAnswers: {} };
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

test('The time of waiting for others is told to a gateway that takes it', () => {
  const waited = { ...measured, networkMs: 12.5, facts: {} };
  const failure = { kind: 'failed', failure: 'internal', retryable: true, ...waited } as const;
  const error = { code: 'EXECUTION_ERROR', family: 'EXECUTION_ERROR', message: 'm' } as const;
  expect(endMessage({ kind: 'done', data: {}, warnings: [], ...waited }, true)).toEqual({ type: 'done', data: {}, network_ms: 12.5 });
  expect(endMessage({ kind: 'done', data: {}, warnings: [], ...waited })).toEqual({ type: 'done', data: {} });
  expect(endMessage({ ...failure, error, cause: new Error('x') }, true)).toMatchObject({ type: 'failed', network_ms: 12.5 });
  const invalid = endMessage({ ...failure, error, cause: z.string().safeParse(1).error }, true);
  expect(invalid).toMatchObject({ type: 'invalid' });
  expect(invalid).not.toHaveProperty('network_ms');
});

test('and never within a character: the gateway takes no half of a surrogate pair', () => {
  const warnings = [`x${'😀'.repeat(2_000)}`];
  expect(endMessage({ kind: 'done', data: {}, warnings, facts: {}, ...measured })).toMatchObject({
    warnings: [`x${'😀'.repeat(999)}`],
  });
});

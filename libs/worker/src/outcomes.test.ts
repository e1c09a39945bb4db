import { expect, test } from '@jest/globals';
import { successOf, withUpstreamAnswers } from './outcomes.js';

const result = {
  kind: 'done',
  data: { n: 1 },
  warnings: [],
  executionMs: 1,
  networkMs: 0,
  reportedMicros: 0,
  facts: {},
  upstreamAnswers: {},
} as const;
const ending = {
  state: 'completed',
  outcome: { ok: true, data: {}, explained: { took_ms: 3 } },
  startedAt: 1,
  finishedAt: 2,
  attempts: 1,
  executionMs: 1,
  networkMs: 0,
} as const;

test('an answer has what the handler added to it, and no empty parts', () => {
  expect(
    successOf({ ...result, message: 'm', warnings: ['w'], explained: { a: 1 }, version: 'v' }, { data: { n: 1 }, sealed: false }),
  ).toEqual({ ok: true, data: { n: 1 }, message: 'm', warnings: ['w'], explained: { a: 1 }, version: 'v' });
  expect(Object.keys(successOf(result, { data: { n: 1 }, sealed: false }))).toEqual(['ok', 'data', 'message']);
});

test('sealed data is not in the outcome', () => {
  expect(successOf(result, { data: { secret: 'sealed.x' }, sealed: true })).toEqual({
    ok: true,
    data: null,
    message: undefined,
    sealed: true,
  });
});

test('what upstreams answered is added to what the handler explained', () => {
  expect(withUpstreamAnswers(ending, { internal_api_response: { status: 200 } }).outcome).toEqual({
    ok: true,
    data: {},
    explained: { took_ms: 3, internal_api_response: { status: 200 } },
  });
  expect(withUpstreamAnswers(ending, {})).toBe(ending);
  expect(withUpstreamAnswers(ending)).toBe(ending);
});

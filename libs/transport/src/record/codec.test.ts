// What version 1 wrote must go on being read: these texts are data that is in somebody's Redis.
import { expect, test } from '@jest/globals';
import { endedHead } from './call-bodies.js';
import { decode, encode } from './codec.js';
import { decodeTicket } from './ticket.js';

const headV1 =
  '{"v":1,"tool":"calc_metrics","version":"2.0.0","input":{"age":30},"caller":{"tenantId":"demo","userId":"user_001","tier":"pro","scopes":["tools:read"],"credentialId":"abc"},"sessionId":null,"traceId":"trace_20261121_d57852778497","traceparent":"00-d57852778497c043afdebffc6d5c968c-9eec20357016e2df-01","createdAt":1795264433645,"validationMs":2.09,"maxAttempts":2,"retry":true,"flightKey":null,"cacheKey":"k"}';
const endingV1 =
  '{"executionMs":3.89,"networkMs":0,"startedAt":1795264433658,"attempts":1,"state":"completed","outcome":{"ok":true,"data":{"bmi":22.86},"message":"m","warnings":["w"]},"finishedAt":1795264433662}';
const failedV1 =
  '{"executionMs":0,"networkMs":0,"startedAt":null,"attempts":0,"state":"failed","outcome":{"ok":false,"error":{"code":"TIMEOUT","family":"TIMEOUT","native_code":"CALCULATION_ERROR","message":"late","retry_after_ms":1000,"details":[{"path":"a","message":"b"}],"extra":{"x":1}}},"finishedAt":1795264433662}';

test('heads of version 1', () =>
  expect(decode.head(headV1)).toMatchObject({ tool: 'calc_metrics', caller: { tenantId: 'demo' }, maxAttempts: 2 }));
test('endings of version 1', () => {
  expect(decode.ending(endingV1)).toMatchObject({ state: 'completed', outcome: { ok: true, warnings: ['w'] } });
  expect(decode.ending(failedV1)).toMatchObject({
    state: 'failed',
    outcome: { ok: false, error: { native_code: 'CALCULATION_ERROR', extra: { x: 1 } } },
  });
});
test('events of version 1', () => {
  const place = { seq: 1, at: 5 };
  expect(decode.event('{"kind":"progress","progress":0,"message":"Starting calc_metrics"}', place)).toEqual({
    kind: 'progress',
    progress: 0,
    message: 'Starting calc_metrics',
    ...place,
  });
  expect(
    decode.event(
      '{"kind":"retry","failure":"timeout","retry":1,"maxRetries":1,"delayMs":213,"error":{"code":"TIMEOUT","message":"m"}}',
      place,
    ),
  ).toMatchObject({ kind: 'retry', maxRetries: 1 });
  expect(decode.event('{"kind":"output","data":{"a":1}}', place)).toEqual({ kind: 'output', data: { a: 1 }, ...place });
  expect(decode.event('{"kind":"end"}', place)).toEqual({ kind: 'end', ...place });
});
test('events with a notice: places from the first on, and null for what a newer version wrote', () => {
  const place = { seq: 7, at: 3 };
  expect(decode.events('[{"kind":"output","data":1},{"kind":"end"}]', place)).toEqual([
    { kind: 'output', data: 1, seq: 7, at: 3 },
    { kind: 'end', seq: 8, at: 3 },
  ]);
  expect(decode.events('[{"kind":"output","data":1},{"kind":"sung"}]', place)).toBeNull();
});

test('budgets, cache entries and tickets of version 1', () => {
  expect(decode.spent('')).toEqual({});
  expect(decode.spent('{"network":2,"timeout":1}')).toEqual({ network: 2, timeout: 1 });
  expect(decode.cacheEntry('{"cachedAt":1,"outcome":{"ok":true,"data":{}}}')).toEqual({ cachedAt: 1, outcome: { ok: true, data: {} } });
  expect(decodeTicket('{"caller":{"tenantId":"t","userId":null,"tier":"free","scopes":[],"credentialId":"c"},"used":false}').used).toBe(
    false,
  );
});
test('what is none of ours is refused', () => {
  for (const text of ['{}', '{"v":2}', headV1.replace('"v":1', '"v":9'), 'null']) expect(() => decode.head(text)).toThrow();
});

test.each([endingV1, failedV1])('an ending (%#) is encoded as what it is, as often as asked', (text) => {
  const ending = decode.ending(text);
  for (const outcome of [ending.outcome, ending.outcome, { ...ending.outcome, warnings: ['another'] }]) {
    const entry = { cachedAt: 1, outcome };
    expect(JSON.parse(encode.ending({ ...ending, outcome }))).toEqual(JSON.parse(JSON.stringify({ ...ending, outcome })));
    expect(JSON.parse(encode.cacheEntry(entry))).toEqual(entry);
    expect(JSON.parse(encode.outcome(outcome))).toEqual(outcome);
  }
});

test('the head of an ended call has all that it had, without the versions that the caller knew', () => {
  const head = decode.signedHead(headV1);
  expect(JSON.parse(endedHead(head, 'completed').text)).toEqual(JSON.parse(headV1));
  expect(JSON.parse(endedHead({ ...head, known: ['v1'] }, 'cancelled').text)).toEqual(JSON.parse(headV1));
});

test.each([
  [4_000, 'completed', true],
  [4_090, 'completed', false],
  [4_090, 'cancelled', false],
  [16_300, 'failed', true],
  [16_390, 'failed', false],
] as const)('parameters of %d characters stay with a call that has %s: %s', (length, state, stay) => {
  const head = { ...decode.head(headV1), input: { text: 'x'.repeat(length) } };
  expect(decode.head(endedHead(head, state).text)).toMatchObject(stay ? { input: head.input } : { input: {}, inputGone: true });
});

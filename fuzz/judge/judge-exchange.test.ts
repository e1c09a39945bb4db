import { expect, test } from '@jest/globals';
import type { Exchange } from '../requests/send.js';
import { judgeExchange } from './judge-exchange.js';

const envelope = (code: string) =>
  JSON.stringify({ success: false, status: 'error', error: { code, message: 'x' }, metadata: { trace_id: 'trace_a' } });
const json = { 'content-type': 'application/json; charset=utf-8', 'x-trace-id': 'trace_a' };
const stream = { 'content-type': 'text/event-stream; charset=utf-8', 'x-trace-id': 'trace_a' };
const step = { method: 'GET', target: '/', headers: [] };

const rulesOf = (
  reply: { status: number; headers: Record<string, string>; text: string },
  { isSpoiled = false, end = 'whole' as Exchange['end'] } = {},
) =>
  judgeExchange({ replies: [{ ...reply, headers: new Map(Object.entries(reply.headers)) }], end, ms: 1 }, { step, isSpoiled }).map(
    ({ rule }) => rule,
  );

test.each([
  [400, json, envelope('INVALID_PARAMS'), []],
  [400, json, '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"x"}}', []],
  [404, json, '{"success":false,"message":"x","data":null,"warnings":[],"errorCode":"NODE_NOT_FOUND"}', []],
  [404, json, '{"status":"error","data":null,"error_code":"USER_NOT_FOUND","message":"x"}', []],
  [404, json, '{"statusCode":404}', ['no envelope']],
  [404, { ...json, 'content-type': 'text/html' }, '<html>', ['no envelope']],
  [404, { 'content-type': 'application/json' }, envelope('X'), ['no trace id']],
  [200, json, '{"a":', ['invalid JSON']],
  [500, json, envelope('EXECUTION_ERROR'), ['5xx']],
  [502, json, envelope('EXECUTION_ERROR'), ['5xx']],
  [503, json, envelope('NETWORK_ERROR'), ['503 without Retry-After']],
  [503, { ...json, 'retry-after': '1' }, envelope('NETWORK_ERROR'), []],
  [504, json, envelope('TIMEOUT'), []],
  [200, stream, 'event: tool_progress\ndata: {}\n\n', ['stream without an end']],
  [200, stream, 'event: tool_progress\ndata: {}\n\nevent: tool_error\ndata: {}\n\n', []],
  [200, stream, 'data: {"type":"finish"}\n\n', []],
  [200, stream, 'data: {"result":"\u2028","jsonrpc":"2.0"}\n\n', []],
  [200, stream, 'data: {"text":"\u2029","type":"finish"}\n\n', []],
])('%i with %j and %s breaks the rules %j', (status, headers, text, rules) => {
  expect(rulesOf({ status, headers, text })).toEqual(rules);
});

test.each([
  [envelope('EXECUTION_ERROR'), []],
  [envelope('INVALID_PARAMS'), ['5xx']],
  ['{"success":false,"error":"upstream_error","message":"x"}', []],
  ['{"success":false,"error":"invalid_request","message":"x"}', ['5xx']],
  ['{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"x"}}', ['5xx']],
])('a tool may fail when its upstream answered wrongly: %s', (text, rules) => {
  expect(rulesOf({ status: 500, headers: json, text }, { isSpoiled: true })).toEqual(rules);
  expect(rulesOf({ status: 500, headers: json, text })).toEqual(['5xx']);
});

test('a tool never says that the fault is its own when its upstream answered wrongly', () => {
  const text = envelope('EXECUTION_ERROR').replace('"x"', '"The tool failed; the fault is ours and is logged"');
  expect(rulesOf({ status: 500, headers: json, text }, { isSpoiled: true })).toEqual(['5xx']);
});

test('an answer that is cut or never ends is a fault, one that the reader left is none', () => {
  const reply = { status: 200, headers: json, text: '{}' };
  expect([rulesOf(reply, { end: 'cut' }), rulesOf(reply, { end: 'hung' }), rulesOf(reply, { end: 'left' })]).toEqual([
    ['cut'],
    ['hang'],
    [],
  ]);
});

import type { Random } from '../../chaos/random.js';
import { hostileText } from './atoms.js';

type Header = readonly [name: string, value: string];

/** Headers that some part of the system reads, with values that it may not expect. */
const readHeaders: Readonly<Record<string, readonly string[]>> = {
  accept: ['', '*/*', 'text/event-stream', 'application/json, text/event-stream', 'text/html', 'a/b;q=9', ',,,', 'application/json;q=0'],
  'content-type': [
    '',
    'text/plain',
    'application/json; charset=utf-16',
    'application/json;charset=latin1',
    'application/xml',
    'multipart/form-data; boundary=b',
    'application/x-www-form-urlencoded',
    'APPLICATION/JSON',
    'application/json, application/json',
    'application/vnd.api+json',
    ';',
  ],
  'content-encoding': ['gzip', 'br', 'identity', 'deflate', 'gzip, gzip', 'x'],
  prefer: [
    'respond-async',
    'wait=0',
    'wait=1',
    'wait=-1',
    'wait=1e9',
    'wait=99999999999',
    'respond-async, wait=1',
    'wait="1',
    'handling=strict',
    ';;;',
  ],
  'idempotency-key': ['', 'a', 'same', 'x'.repeat(255), 'x'.repeat(256), '__proto__', ' ', '"', ':', '{{user}}'],
  'x-session-id': ['sess_ok', 'sess_other', '', '*', ':', '../', 'x'.repeat(300)],
  'x-user-id': ['user_001', 'user_other', 'team1/bob', 'key:1', '*', '', 'x'.repeat(300), '__proto__'],
  'x-trace-id': ['trace_a', 'trace_20261122_000000000000', 'trace_', '', 'x'.repeat(300)],
  'x-request-id': ['a', '', 'x'.repeat(129), '*', '"'],
  traceparent: ['00-0-0-0', '', 'ff-00000000000000000000000000000000-0000000000000000-00', '00-zz-zz-zz', 'x'.repeat(600)],
  tracestate: ['a=b', 'x'.repeat(600), ',,,'],
  baggage: ['a=b', 'a=%00', 'x=y;'.repeat(100)],
  'last-event-id': ['', '0', '0-0', 'evt_1', 'evt__1', '-1', '99999999999999999999-1', '*', '$', '+', 'x'.repeat(300)],
  range: ['bytes=0-', 'bytes=-1', 'bytes=5-1', 'bytes=0-0,1-1,2-2', 'bytes=99999999999999999999-', 'lines=1', 'bytes='],
  'if-none-match': ['*', '""', 'W/"a"', '"', 'x'.repeat(2_000)],
  'if-modified-since': ['yesterday', 'Sun, 22 Nov 2026 10:00:00 GMT', ''],
  'cache-control': ['no-cache', 'no-store', 'max-age=-1', ',,,'],
  origin: ['null', 'https://evil.example', 'http://127.0.0.1', 'file://', ''],
  'sec-fetch-site': ['cross-site', 'same-origin', 'none', 'x'],
  cookie: ['a', 'invoq_guest=x', 'invoq_guest=__proto__; invoq_guest=b', '=;=', 'x'.repeat(4_000)],
  'x-forwarded-for': ['127.0.0.1', '::1, ::2', 'x', '1.2.3.4:99', ',,,'],
  'x-forwarded-host': ['evil.example', ''],
  'x-forwarded-proto': ['https', 'javascript'],
  forwarded: ['for=1.2.3.4;host=evil.example'],
  'x-http-method-override': ['DELETE', 'PURGE'],
  'x-stream-protocol': ['ai-sdk', 'AI-SDK', 'x'],
  expect: ['100-continue', 'x'],
  'mcp-protocol-version': ['2026-07-28', '2025-11-25', '2025-06-18', '2024-11-05', '1999-01-01', 'x'],
  'mcp-session-id': ['a', 'x'.repeat(300), '{{job}}'],
  'mcp-method': ['tools/call', 'tools/list', 'x'],
  'mcp-name': ['calc_metrics', 'x'],
  'access-control-request-method': ['POST', 'x'],
  upgrade: ['websocket', 'h2c'],
};

function hostileHeader(random: Random): Header {
  const name = random.pick(Object.keys(readHeaders));
  const value = random.chance(0.75) ? random.pick(readHeaders[name] ?? ['']) : hostileText(random).slice(0, 3_000);
  return [random.chance(0.9) ? name : random.pick([name.toUpperCase(), `x-${name}`, '__proto__', 'constructor']), value];
}

/** Credentials, most of them refused. */
export function hostileCredential(random: Random): readonly Header[] {
  const value = random.pick([
    'Bearer',
    'Bearer ',
    'Bearer  {{user}}',
    'bearer {{user}}',
    'Bearer {{user}}x',
    'Bearer {{expired}}',
    'Bearer {{revoked}}',
    'Basic {{user}}',
    'Basic Og==',
    'Basic !',
    'Basic OnNlY3JldA==',
    'Digest a',
    'Bearer a.b.c',
    'Bearer eyJhbGciOiJub25lIn0.e30.',
    'Bearer {{jwt}}',
    'Bearer {{jwtOtherKey}}',
    'Bearer {{jwtNoKid}}',
    'Bearer {{jwtExpired}}',
    'Bearer {{jwtOddClaims}}',
    `Bearer ${'x'.repeat(8_000)}`,
    'Bearer invoq_',
    'Bearer {{user}}, Bearer {{admin}}',
    'Bearer \u0080',
    '',
  ]);
  return random.chance(0.1) ? [] : [['authorization', value]];
}

/** A few headers of the request are other ones, or more. */
export function withHostileHeaders(headers: readonly Header[], random: Random): readonly Header[] {
  const more = Array.from({ length: random.integer(1, 3) }, () => hostileHeader(random));
  const kept = headers.filter(([name]) => !more.some(([other]) => other.toLowerCase() === name) || random.chance(0.15));
  return [...kept, ...more];
}

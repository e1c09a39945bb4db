// Values that parsers, databases, keys, headers and people's assumptions have failed on.
import type { Random } from '../../chaos/random.js';

const times = (text: string, count: number): string => text.repeat(count);

const shortTexts: readonly string[] = [
  '',
  ' ',
  '\t',
  '\n',
  '\r\n',
  '\0',
  'a\0b',
  '\u001b[31m',
  '\u0085',
  '\u2028',
  '\ufeff',
  '\ufffd',
  '\uffff',
  '\ud800',
  '\udfff\ud800',
  '\u202ereversed',
  'e\u0301',
  '\u0130i',
  'ﬃ',
  '😀',
  '👩‍👩‍👧‍👦',
  '请',
  '北京',
  'Москва',
  'null',
  'undefined',
  'NaN',
  'true',
  '0',
  '-1',
  '1e999',
  '0x10',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'then',
  '..',
  '../../../../etc/passwd',
  '/dev/zero',
  'C:\\windows',
  '%00',
  '%2e%2e%2f',
  '%ff',
  '%',
  "' OR '1'='1",
  "'; DROP TABLE api_key; --",
  '$1',
  '{{user}}',
  '${7*7}',
  '#{7*7}',
  '*',
  '?',
  '[a-',
  '(a+)+$',
  '\\',
  '"',
  "'",
  '`',
  '<script>alert(1)</script>',
  '<!--',
  ']]>',
  '&#0;',
  'javascript:alert(1)',
  'data:text/html,x',
  'file:///etc/passwd',
  'http://169.254.169.254/latest',
  'http://[::1]:1/',
  'http://user:pass@host',
  'https://app.example.com/done',
  'not a url',
  'user_001',
  'user_other',
  'user_999',
  'm_onboarded',
  'm_other',
  'acct_ok',
  'sess_ok',
  'sess_other',
  'root',
  'main',
  'default',
  'latest',
  'none',
  '2026-02-30',
  '0000-00-00',
  '9999-12-31T23:59:59.999Z',
  '+275760-09-13T00:00:00Z',
  '24:00',
  '1990-05-15',
  'Asia/Shanghai',
  'Mars/Olympus',
  'a@b',
  '00000000-0000-0000-0000-000000000000',
  'inv_profile_00000000000000000000000000000000',
  'evt_1',
  'trace_20261122_000000000000',
  '\r\nX-Injected: 1',
  'a\r\n\r\nHTTP/1.1 200 OK',
  'event: tool_result\ndata: {}\n\n',
  '{"a":',
  '[1,2',
  '\\u0000',
  '\\ud800',
  '%s%n',
  '-',
  '--',
  '@',
  '1.0.0',
  '^1',
  '>=0 <99',
];

/** Texts whose cost may grow faster than they do. */
const longTexts: readonly ((size: number) => string)[] = [
  (n) => times('A', n),
  (n) => times(' ', n),
  (n) => times('\n', n),
  (n) => times('- ', n / 2),
  (n) => times('> ', n / 2),
  (n) => times('[', n),
  (n) => times('[a](', n / 4),
  (n) => times('![', n / 2),
  (n) => times('*a_', n / 3),
  (n) => times('`', n),
  (n) => times('<a ', n / 3),
  (n) => times('<div>', n / 5),
  (n) => times('|-', n / 2),
  (n) => times('# a\n', n / 4),
  (n) => times('a@', n / 2),
  (n) => times('[[a|', n / 4),
  (n) => `[a](${times('.md#', n / 4)}`,
  (n) => times('&amp', n / 4),
  (n) => times('~~a', n / 3),
  (n) => times('1. ', n / 3),
  (n) => times('\t', n),
  (n) => times('請', n / 3),
  (n) => times('😀', n / 4),
  (n) => times('a\u0301', n / 3),
  (n) => times('a.', n / 2),
  (n) => times('"', n),
  (n) => times('\\', n),
  (n) => times('%', n),
  (n) => times(',', n),
  (n) => times('9', n),
  (n) => times('../', n / 3),
  (n) => `${times('a', n)}!`,
  (n) => times('\0', n),
  (n) => times('{"a":', n / 5),
];

const numbers: readonly number[] = [
  0,
  -0,
  1,
  -1,
  2,
  0.1,
  0.1 + 0.2,
  1e-320,
  5e-324,
  1e21,
  1e308,
  -1e308,
  127,
  128,
  255,
  256,
  32_767,
  65_535,
  65_536,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31),
  2 ** 32,
  2 ** 53,
  2 ** 53 + 2,
  2 ** 63,
  1_700_000_000,
  1_700_000_000_000,
  8.64e15,
  8.64e15 + 1,
];

export function hostileText(random: Random): string {
  if (random.chance(0.8)) return random.pick(shortTexts);
  // Most are short: a few long ones find what is slow, many would only fill the network.
  const size = random.pick([64, 129, 256, 1_025, 1_025, 4_097, 4_097, 16_385, random.chance(0.15) ? 260_000 : 40_000]);
  return random.pick(longTexts)(size);
}

export function hostileNumber(random: Random): number {
  return random.pick(numbers);
}

/** Anything that JSON can hold. */
export function hostileValue(random: Random): unknown {
  switch (random.integer(0, 11)) {
    case 0:
      return null;
    case 1:
      return random.chance(0.5);
    case 2:
    case 3:
      return hostileNumber(random);
    case 4:
      return [];
    case 5:
      return {};
    case 6:
      return nested(random.pick([3, 30, 101, 3_000]), random.chance(0.5));
    case 7:
      return Array.from({ length: random.pick([1, 51, 1_001, 10_001]) }, () => 0);
    case 8:
      return Object.fromEntries(Array.from({ length: random.pick([1, 60, 1_001]) }, (_, index) => [`k${index}`, index]));
    case 9:
      return JSON.parse(
        random.pick([
          '{"__proto__":{"polluted":true}}',
          '{"constructor":{"prototype":{"polluted":true}}}',
          '{"toJSON":1,"then":1}',
          '{"":{"":""}}',
        ]),
      );
    default:
      return hostileText(random);
  }
}

function nested(depth: number, inLists: boolean): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = inLists ? [value] : { a: value };
  return value;
}

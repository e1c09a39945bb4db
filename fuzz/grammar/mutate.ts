// Mutations: of a JSON value at some place, and of its text.
import type { Random } from '../../chaos/random.js';
import { hostileNumber, hostileText, hostileValue } from './atoms.js';
import { isObject } from './json.js';

/** The same value with one part of it replaced, removed, added or repeated. Nothing that was given changes. */
export function mutated(value: unknown, random: Random): unknown {
  if (isObject(value)) {
    const entries = Object.entries(value);
    if (entries.length === 0 || random.chance(0.2)) return added(value, random);
    const [key, inner] = random.pick(entries);
    if (random.chance(0.15)) return Object.fromEntries(entries.filter(([name]) => name !== key));
    if (random.chance(0.1)) return Object.fromEntries(entries.map(([name, one]) => [name === key ? hostileText(random) : name, one]));
    return Object.fromEntries(entries.map(([name, one]) => [name, name === key ? mutated(inner, random) : one]));
  }
  if (Array.isArray(value) && value.length > 0 && random.chance(0.7)) {
    const list: readonly unknown[] = value;
    const place = random.integer(0, list.length - 1);
    if (random.chance(0.2)) return Array.from({ length: random.pick([2, 51, 501]) }, () => list[place]);
    return list.map((item, index) => (index === place ? mutated(item, random) : item));
  }
  if (typeof value === 'number' && random.chance(0.4))
    return random.pick([-value, value * 1e9, value + 0.5, hostileNumber(random), String(value)]);
  if (typeof value === 'string' && random.chance(0.4)) {
    const place = random.integer(0, value.length);
    return value.slice(0, place) + hostileText(random) + value.slice(place);
  }
  return hostileValue(random);
}

/** The same value with other texts in some places: of the right types, so that it often passes the schema. */
export function reworded(value: unknown, random: Random): unknown {
  if (typeof value === 'string') return random.chance(0.4) ? hostileText(random) : value;
  if (Array.isArray(value)) return value.map((item) => reworded(item, random));
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, reworded(inner, random)]));
  return value;
}

function added(value: Readonly<Record<string, unknown>>, random: Random): unknown {
  const name = random.pick([
    '__proto__',
    'constructor',
    'extra',
    '',
    'debug',
    '_trace_id',
    'request_id',
    'workspace',
    'toJSON',
    '$ref',
    '0',
  ]);
  // Assigned, `__proto__` would be no key.
  return Object.fromEntries([...Object.entries(value), [name, hostileValue(random)]]);
}

/** The text of a JSON body, often no longer JSON. May hold characters that stand for bytes which are no UTF-8: see `bytesOf`. */
export function brokenText(text: string, random: Random): string {
  const place = random.integer(0, text.length);
  const [before, after] = [text.slice(0, place), text.slice(place)];
  switch (random.integer(0, 9)) {
    case 0:
      return before;
    case 1:
      return (
        before +
        random.pick(['\0', '"', '{', '}', ']', ',', ':', '\\', '\\u', '\\ud800', '\u00ff', '1e999', '-', '/*x*/', '\n', 'NaN']) +
        after
      );
    case 2:
      return `\ufeff${text}`;
    case 3:
      return text + random.pick([text, ' ', '\0', '}', 'garbage', '\n\n']);
    case 4:
      return before + after.slice(random.integer(1, 8));
    case 5:
      return text.replace(/"(\w+)":/, '"$1":1,"$1":');
    case 6:
      return text.replace(/\d+/, random.pick(['1e999', '-0', '00', '0.1e-999', '9'.repeat(400), '+1', '0x1', '1_000']));
    case 7:
      return random.pick(['[', '{"a":']).repeat(random.pick([50, 3_000, 40_000])) + text;
    case 8:
      return random.pick(['', ' ', 'null', '[]', '"text"', '1', 'true', '[[]]', '{}{}', 'a=b&c=d', '<xml/>', '--b\r\n\r\nx\r\n--b--']);
    default:
      return text.replaceAll('"', "'");
  }
}

/** The bytes of a text, some of them changed. */
export function brokenBytes(text: string, random: Random): Buffer {
  const bytes = Buffer.from(text);
  for (let changes = random.integer(1, 4); changes > 0 && bytes.length > 0; changes--)
    bytes[random.integer(0, bytes.length - 1)] = random.pick([0, 0x0a, 0x22, 0x7f, 0x80, 0xc0, 0xed, 0xff, random.integer(0, 255)]);
  return bytes;
}

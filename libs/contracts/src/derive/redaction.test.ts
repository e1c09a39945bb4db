import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { secret, sensitive } from '../marks.js';
import { calcMetrics } from '../tools/profile/calc-metrics.js';
import { userProfileLookup } from '../tools/profile/user-profile-lookup.js';
import { toJsonSchema } from './json-schema.js';
import { markedPaths, redact, replaceAt } from './redaction.js';

const wrapped = z.strictObject({
  plain: z.string(),
  optional: sensitive(z.string()).optional().describe('described after it was marked'),
  defaulted: sensitive(z.string()).default('x'),
  nullable: sensitive(z.string().nullable()),
  list: z.array(z.strictObject({ inside: sensitive(z.string()), open: z.string() })),
  record: z.record(z.string(), sensitive(z.string())),
  union: z.union([
    z.strictObject({ kind: z.literal('a'), hidden: sensitive(z.string()) }),
    z.strictObject({ kind: z.literal('b'), shown: z.string() }),
  ]),
  link: secret(z.url()),
});

test('marks are found behind every wrapper, and no published schema shows them', () => {
  const paths = markedPaths(wrapped, 'output', ['sensitive']).map((path) => path.join('.'));
  expect(paths.toSorted()).toEqual(['defaulted', 'list.*.inside', 'nullable', 'optional', 'record.*', 'union.hidden']);
  expect(markedPaths(wrapped, 'output', ['secret'])).toEqual([['link']]);
  expect(JSON.stringify(toJsonSchema(wrapped, 'output'))).not.toMatch(/"(sensitive|secret)":/);
});

test('no marked value survives, whatever it is', () => {
  const marker = 'MARKER-7c1';
  const value = {
    plain: 'shown',
    optional: marker,
    defaulted: marker,
    nullable: marker,
    list: [
      { inside: marker, open: 'o' },
      { inside: marker, open: 'p' },
    ],
    record: { a: marker, b: marker },
    union: { kind: 'a', hidden: marker },
    link: `https://example.com/${marker}`,
  };
  const masked = redact(wrapped, 'output', value);
  expect(JSON.stringify(masked)).not.toContain(marker);
  expect(masked).toMatchObject({ plain: 'shown', list: [{ open: 'o' }, { open: 'p' }], union: { kind: 'a' } });
  expect(value.optional).toBe(marker);
});

test('what the schema does not declare is not shown', () => {
  expect(redact(userProfileLookup.input, 'input', { user_id: 'u', note: 'diabetes', more: { a: 1 } })).toEqual({
    user_id: 'u',
    note: '[redacted]',
    more: '[redacted]',
  });
  expect(redact(userProfileLookup.input, 'input', { user_id: { weight: 80 } })).toEqual({ user_id: '[redacted]' });
  expect(redact(userProfileLookup.input, 'input', ['diabetes'])).toBe('[redacted]');
  expect(redact(userProfileLookup.input, 'input', 'diabetes')).toBe('[redacted]');
  expect(redact(userProfileLookup.input, 'input', { user_id: 'x'.repeat(500) })).toEqual({ user_id: `${'x'.repeat(200)}…` });
});

test('what does not fit the schema is masked all the same', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const masked = redact(calcMetrics.input, 'input', { height_cm: value, gender: value });
      expect(masked).toEqual(value === null ? { height_cm: null, gender: null } : { height_cm: '[redacted]', gender: '[redacted]' });
    }),
  );
});

test('a field that is called authorization is masked although nothing marks it', () => {
  const schema = z.strictObject({ authorization: z.string().optional(), headers: z.record(z.string(), z.string()) });
  expect(redact(schema, 'input', { authorization: 'Bearer x', headers: { authorization: 'Bearer x', accept: 'a' } })).toEqual({
    authorization: '[redacted]',
    headers: { authorization: '[redacted]', accept: 'a' },
  });
});

test('health values of the two tools are marked', () => {
  expect(markedPaths(userProfileLookup.output, 'output', ['sensitive']).map(([name]) => name)).toEqual(
    expect.arrayContaining(['medical_conditions', 'weight_kg', 'height_cm', 'age']),
  );
  expect(markedPaths(userProfileLookup.input, 'input', ['sensitive'])).toEqual([]);
});

/** A schema with a value that fits it, in which every marked text holds a marker that stands nowhere else. */
interface Example {
  readonly schema: z.ZodType;
  readonly value: unknown;
}
const marker = 'MARKED-5d1f';
const example = fc.letrec<{ any: Example }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.string({ maxLength: 9 }).map((text): Example => ({ schema: z.string(), value: `open ${text}` })),
    fc.string({ maxLength: 9 }).map((text): Example => ({ schema: sensitive(z.string()), value: marker + text })),
    fc.constant<Example>({ schema: secret(z.string()).optional().describe('D'), value: marker }),
    fc.constant<Example>({ schema: sensitive(z.strictObject({ deep: z.array(z.string()) })), value: { deep: [marker] } }),
    fc.array(tie('any'), { maxLength: 3 }).map((items): Example => ({
      schema: z.array(
        items.length === 0 ? z.string() : z.union([items[0]?.schema ?? z.string(), ...items.slice(1).map(({ schema }) => schema)]),
      ),
      value: items.map(({ value }) => value),
    })),
    fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), tie('any'), { maxKeys: 4 }).map((fields): Example => ({
      schema: z.strictObject(Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema]))),
      value: Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value])),
    })),
    tie('any').map(({ schema, value }): Example => ({ schema: z.record(z.string(), schema), value: { one: value, two: value } })),
    tie('any').map(({ schema, value }): Example => ({ schema: schema.nullable(), value })),
  ),
})).any;

test('no marked value of any schema is ever shown, whatever stands around it', () => {
  fc.assert(
    fc.property(example, ({ schema, value }) => {
      for (const side of ['input', 'output'] as const) expect(JSON.stringify(redact(schema, side, value)) ?? '').not.toContain(marker);
    }),
    { numRuns: 500 },
  );
});

test('replacing at the marked paths reaches every marked value, and nothing else', () => {
  fc.assert(
    fc.property(example, ({ schema, value }) => {
      const paths = markedPaths(schema, 'output', ['sensitive', 'secret']);
      const replaced = JSON.stringify(replaceAt(value, paths, () => 'X'));
      expect(replaced).not.toContain(marker);
      expect(replaceAt(value, paths, (same) => same)).toEqual(value);
    }),
  );
});

describe('replacing at paths', () => {
  const value = { a: { b: 1, c: [{ d: 2 }, { d: 3 }] }, e: null, f: { x: 1, y: 2 } };
  test.each<[string, string[], object]>([
    ['a property', ['a', 'b'], { ...value, a: { ...value.a, b: 'R' } }],
    ['every item', ['a', 'c', '*', 'd'], { ...value, a: { ...value.a, c: [{ d: 'R' }, { d: 'R' }] } }],
    ['every key', ['f', '*'], { ...value, f: { x: 'R', y: 'R' } }],
    ['what is null stays null', ['e'], value],
    ['what is absent stays absent', ['nowhere', 'at', 'all'], value],
    ['a path through a text leads nowhere', ['a', 'b', 'more'], value],
    ['a path that takes a list for an object leads nowhere', ['a', 'c', 'd'], value],
  ])('%s', (_what, path, expected) => {
    expect(replaceAt(value, [path], () => 'R')).toEqual(expected);
  });

  test('tells each place by its own path, with the numbers of items', () => {
    const seen: string[] = [];
    replaceAt(
      value,
      [
        ['a', 'c', '*', 'd'],
        ['f', '*'],
      ],
      (one, path) => {
        seen.push(path);
        return one;
      },
    );
    expect(seen).toEqual(['a.c.0.d', 'a.c.1.d', 'f.x', 'f.y']);
  });

  test('never changes the value that it is given', () => {
    const before = structuredClone(value);
    replaceAt(
      value,
      [
        ['a', 'b'],
        ['f', '*'],
      ],
      () => 'R',
    );
    expect(value).toEqual(before);
  });
});

test('a key that a stranger chose is cut, and may be any name', () => {
  const map = z.record(z.string(), z.number());
  expect(redact(map, 'input', { ['k'.repeat(500)]: 1 })).toEqual({ ['k'.repeat(200)]: 1 });
  expect(redact(z.strictObject({ a: z.string() }), 'input', JSON.parse('{"__proto__":"x","constructor":"y"}'))).toEqual(
    JSON.parse('{"__proto__":"[redacted]","constructor":"[redacted]"}'),
  );
});

test('what is cut for a log is cut without half a character', () => {
  const text = `a${'😀'.repeat(300)}`;
  const shown = redact(z.record(z.string(), z.string()), 'input', { [text]: text });
  expect(JSON.stringify(shown)).not.toMatch(/\\ud[89a-f]/);
});

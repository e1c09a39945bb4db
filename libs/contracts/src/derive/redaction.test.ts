import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { secret, sensitive } from '../marks.js';
import { calcMetrics } from '../tools/profile/calc-metrics.js';
import { userProfileLookup } from '../tools/profile/user-profile-lookup.js';
import { toJsonSchema } from './json-schema.js';
import { markedPaths, redact } from './redaction.js';

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

test('health values of the two tools are marked', () => {
  expect(markedPaths(userProfileLookup.output, 'output', ['sensitive']).map(([name]) => name)).toEqual(
    expect.arrayContaining(['medical_conditions', 'weight_kg', 'height_cm', 'age']),
  );
  expect(markedPaths(userProfileLookup.input, 'input', ['sensitive'])).toEqual([]);
});

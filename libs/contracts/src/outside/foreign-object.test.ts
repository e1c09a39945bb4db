// Schemas as servers of the world send them: more than Zod can say, of older drafts, or careless.
import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { foreignObject } from './foreign-object.js';

const read = (schema: object) => foreignObject({ ...schema }, { extra: {}, defaults: true, strips: true });
const taken = (schema: object, value: unknown) => read(schema).zod.safeParse(value);
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const text = { type: 'string' };

describe('what cannot be checked is published, told, and passed on', () => {
  test.each<[string, object]>([
    ['if', { if: { required: ['a'] }, else: { required: ['b'] } }],
    ['not', { not: { required: ['a'] } }],
    ['dependentRequired', { dependentRequired: { a: ['b'] } }],
    ['dependentSchemas', { dependentSchemas: { a: { required: ['b'] } } }],
    ['unevaluatedProperties', { unevaluatedProperties: false }],
    ['patternProperties', { patternProperties: { '^x-': text } }],
    ['propertyNames', { propertyNames: { maxLength: 3 } }],
    ['anyOf', { anyOf: [{ required: ['a'] }, { required: ['b'] }] }],
    ['oneOf', { oneOf: [{ required: ['a'] }, { required: ['b'] }] }],
    ['allOf', { allOf: [{ properties: { c: { type: 'number' } }, required: ['c'] }] }],
  ])('%s', (keyword, more) => {
    const schema = object({ a: text, b: text }, more);
    const { published, notes, zod } = read(schema);
    expect(published).toMatchObject(more);
    expect(notes).toEqual([expect.stringContaining(keyword)]);
    // Fields that only a condition knows are no strangers.
    expect(zod.parse({ a: '1', 'x-more': '2' })).toEqual({ a: '1', 'x-more': '2' });
    expect(zod.safeParse({ a: 1 }).success).toBe(false);
  });

  test('in a field as well', () => {
    const schema = object({ a: { type: 'object', properties: { b: text }, not: { required: ['c'] } } });
    expect(taken(schema, { a: { b: '1' } }).success).toBe(true);
    expect(taken(schema, { a: { b: 1 } }).success).toBe(false);
    expect(read(schema).published.properties?.['a']).toEqual({ type: 'object', properties: { b: text }, not: { required: ['c'] } });
  });

  test('of branches that only a pattern tells apart, each takes what the other takes', () => {
    const schema = object({
      id: {
        oneOf: [
          { type: 'string', pattern: '^a' },
          { type: 'string', pattern: '^b' },
        ],
      },
    });
    expect(taken(schema, { id: 'a1' }).success).toBe(true);
    expect(taken(schema, { id: 1 }).success).toBe(false);
  });

  test('where the schema contradicts its own example, everything', () => {
    const schema = object({ a: { type: 'integer' } }, { examples: [{ a: 'five' }] });
    expect(taken(schema, { a: 'six' }).success).toBe(true);
    expect(read(schema).notes).toEqual(['its own example does not fit it: nothing is checked here']);
  });
});

describe('a reference', () => {
  test.each<[string, object]>([
    ['to a field', object({ a: text, b: { $ref: '#/properties/a' } })],
    ['to a definition', object({ b: { $ref: '#/$defs/t' } }, { $defs: { t: text } })],
    ['to a definition of draft 7', object({ b: { $ref: '#/definitions/t' } }, { definitions: { t: text } })],
    ['to an anchor', object({ b: { $ref: '#t' } }, { $defs: { x: { ...text, $anchor: 't' } } })],
    ['to an anchor of draft 7', object({ b: { $ref: '#t' } }, { definitions: { x: { ...text, $id: '#t' } } })],
    ['to an id', object({ b: { $ref: 'https://a.example/t' } }, { $defs: { x: { ...text, $id: 'https://a.example/t' } } })],
    [
      'to an id beside its own',
      object({ b: { $ref: 't.json' } }, { $id: 'https://a.example/s.json', $defs: { x: { ...text, $id: 't.json' } } }),
    ],
    ['to its own id', object({ b: { $ref: 'https://a.example/s#/$defs/t' } }, { $id: 'https://a.example/s', $defs: { t: text } })],
    ['to a name with signs', object({ b: { $ref: '#/$defs/a~1b%20c' } }, { $defs: { 'a/b c': text } })],
    ['that is dynamic', object({ b: { $dynamicRef: '#t' } }, { $defs: { x: { ...text, $dynamicAnchor: 't' } } })],
    ['at the top', { $ref: '#/$defs/args', $defs: { args: object({ b: text }) } }],
    ['within a definition of another', object({ b: { $ref: '#/$defs/o/properties/p' } }, { $defs: { o: object({ p: text }) } })],
  ])('%s is followed', (_what, schema) => {
    const { zod, notes, published } = read(schema);
    expect(notes).toEqual([]);
    expect(zod.safeParse({ b: 'x' }).success).toBe(true);
    expect(zod.safeParse({ b: 1 }).success).toBe(false);
    expect(new Ajv2020({ strict: true, strictTypes: false }).compile(published)({ b: 1 })).toBe(false);
  });

  test.each(['#/$defs/none', '#none', 'https://evil.example/s', 'file:///etc/passwd', '#/%', '%', '#/properties/__proto__'])(
    '%s leads nowhere: anything is taken, and it is told',
    ($ref) => {
      const { zod, notes, published } = read(object({ a: { $ref } }));
      expect(zod.parse({ a: { b: 1 } })).toEqual({ a: { b: 1 } });
      expect(notes).toEqual([`its $ref '${$ref}' leads nowhere here`]);
      expect(JSON.stringify(published)).not.toContain('$ref');
    },
  );

  test('to itself is a definition of its own, which every reader can follow', () => {
    const { published, zod } = read(object({ name: text, kids: { type: 'array', items: { $ref: '#' } } }));
    expect(published['$defs']).toHaveProperty('root.properties.kids.items', { $ref: '#/$defs/root' });
    expect(zod.safeParse({ kids: [{ kids: [{ name: 1 }] }] }).success).toBe(false);
  });

  test('that never ends is cut', () => {
    const loop = { a: { $ref: '#/$defs/b' }, b: { anyOf: [{ $ref: '#/$defs/a' }] } };
    const { zod, notes } = read(object({ x: { $ref: '#/$defs/a' } }, { $defs: loop }));
    expect(zod.safeParse({ x: 1 }).success).toBe(true);
    expect(notes).toEqual([expect.stringContaining('leads back to itself')]);
  });
});

describe('a default', () => {
  test.each([
    [{ type: 'integer', default: null }],
    [{ enum: ['a', 'b'], default: '' }],
    [{ type: 'integer', minimum: 1, default: 0 }],
    [{ type: 'integer', default: '5' }],
    [{ type: 'object', properties: { a: { type: 'string' } }, default: { a: 1 } }],
  ])('of %j is neither sent nor published, and told', (limit) => {
    const { zod, notes, published } = read(object({ q: text, limit }));
    expect(zod.parse({ q: 'a' })).toEqual({ q: 'a' });
    expect(notes).toEqual(["the default of 'limit' does not fit its own type and is not sent"]);
    expect(published.properties?.['limit']).not.toHaveProperty('default');
  });

  test('that fits is sent, once and again', () => {
    const { zod } = read(object({ limit: { type: 'integer', default: 5 } }));
    expect(zod.parse(zod.parse({}))).toEqual({ limit: 5 });
  });

  test('beside a condition is left to the server: it may be what the condition forbids', () => {
    const schema = object({ a: text, b: { type: 'string', default: 'x' } }, { oneOf: [{ required: ['a'] }, { required: ['b'] }] });
    expect(read(schema).zod.parse({ a: '1' })).toEqual({ a: '1' });
  });

  test('within a branch is not sent', () => {
    const branches = { allOf: [object({ v: { type: 'integer', default: 1 } }), object({ v: { type: 'integer', default: 2 } })] };
    expect(read(object({ p: branches })).zod.parse({ p: {} })).toEqual({ p: {} });
  });
});

describe('arguments that the schema does not name', () => {
  test.each<[string, object, object, object]>([
    ['are dropped where it says nothing (C-16)', object({ a: text }), { a: '1', x: 1 }, { a: '1' }],
    ['pass where it says so', object({ a: text }, { additionalProperties: true }), { a: '1', x: 1 }, { a: '1', x: 1 }],
    ['pass where they fit', object({ a: text }, { additionalProperties: text }), { a: '1', x: '1' }, { a: '1', x: '1' }],
    ['pass where it names none', { type: 'object' }, { x: 1 }, { x: 1 }],
    [
      'pass where its patterns allow them',
      object({}, { patternProperties: { '^x': text }, additionalProperties: false }),
      { x: 'y' },
      { x: 'y' },
    ],
  ])('%s', (_what, schema, given, passed) => {
    expect(read(schema).zod.parse(given)).toEqual(passed);
  });

  test('are refused where it forbids them, or says what they must be', () => {
    expect(taken(object({ a: text }, { additionalProperties: false }), { x: 1 }).success).toBe(false);
    expect(taken(object({ a: text }, { additionalProperties: text }), { x: 1 }).success).toBe(false);
  });
});

describe('older drafts and careless schemas are put into the words of 2020-12', () => {
  test.each<[string, object, object]>([
    [
      'tuples of draft 7',
      { type: 'array', items: [text], additionalItems: false },
      { type: 'array', prefixItems: [text], items: { not: {} } },
    ],
    ['bounds of draft 4', { type: 'number', minimum: 1, exclusiveMinimum: true }, { type: 'number', exclusiveMinimum: 1 }],
    ['nullable of OpenAPI', { type: 'string', nullable: true, enum: ['a'] }, { type: ['string', 'null'], enum: ['a', null] }],
    [
      'dependencies',
      { dependencies: { a: ['b'], c: { required: ['d'] } } },
      { dependentRequired: { a: ['b'] }, dependentSchemas: { c: { required: ['d'] } } },
    ],
    ['values twice', { enum: ['a', 'a', 1] }, { enum: ['a', 1] }],
    ['a pattern that no reader compiles', { type: 'string', pattern: '(?P<x>a)' }, { type: 'string' }],
    ['numbers as text', { type: 'string', maxLength: '5', minimum: 'x' }, { type: 'string' }],
    ['words that are no keywords', { type: 'string', 'x-order': 1, required: true, $comment: 'c' }, { type: 'string' }],
    ['a description that is no text', { type: 'string', description: null, title: 5 }, { type: 'string' }],
    ['a type that there is not', { type: 'str' }, {}],
    ['lists that are empty', { anyOf: [], enum: [], type: [] }, {}],
    ['a schema that is true', {}, {}],
  ])('%s', (_what, given, tidy) => {
    const { published } = read(object({ p: given }));
    expect(published.properties?.['p']).toEqual(tidy);
    expect(() => new Ajv2020({ strict: false }).compile(published)).not.toThrow();
  });

  test('a property that says itself that it is required', () => {
    expect(read(object({ a: { type: 'string', required: true } })).published.required).toEqual(['a']);
  });

  test('formats that no standard has are told in words: strict readers refuse the whole schema for them', () => {
    const { published } = read(
      object({
        a: { type: 'integer', format: 'unix-time', description: 'When.' },
        b: { type: 'string', format: 'base64' },
        c: { format: 'uuid' },
      }),
    );
    expect(published.properties).toMatchObject({
      a: { type: 'integer', description: 'When. Format: unix-time.' },
      b: { description: 'Format: base64.' },
      c: { format: 'uuid' },
    });
    expect(JSON.stringify(published)).not.toMatch(/"format":"(unix-time|base64)"/);
  });

  test('values that are objects are not compared, and formats are read by the server', () => {
    const schema = object({ a: { const: { x: 1 } }, b: { type: 'string', format: 'date-time' } });
    expect(taken(schema, { a: { x: 1 }, b: '2026-11-25 10:00' }).success).toBe(true);
  });
});

import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { tools } from '../all-tools.js';
import { domainNamed } from './domain-named.js';
import { toDefinition } from '../derive/definition.js';
import { toMarkedJsonSchema } from '../derive/json-schema.js';
import { redact } from '../derive/redaction.js';
import { toMcp } from '../derive/mcp.js';
import { toOpenAi } from '../derive/openai.js';
import { validateInput } from '../validate.js';
import { servedContract, ServedToolError } from './served-contract.js';
import { servedFaults, servedSizeFault } from './served-rules.js';
import { servedDomainName, servedTool } from './served-tool.js';
import { announced, place } from './test-served.js';
import { toServedTool } from './to-served-tool.js';
import { widenedFields } from './widening.js';

describe('a contract that a worker announces', () => {
  const contract = servedContract(place, announced());

  test('becomes one that every form can be made of, in the words of its tenant', () => {
    expect(toDefinition(contract)).toMatchObject({ name: 'make_quote', domain: 'sales', read_only: true, timeout_ms: 5_000 });
    expect(toOpenAi(contract).function.parameters).toMatchObject({ properties: { units: { type: 'integer' } } });
    expect(toMcp(contract).name).toBe('make_quote');
    expect(domainNamed(contract.domain)).toMatchObject({ name: contract.domain });
  });

  test('checks parameters in the documented words, and masks what it marks', () => {
    expect(() => validateInput(contract, { customer: 'c', units: 'two' })).toThrow("Parameter 'units' must be integer, not string");
    expect(() => validateInput(contract, { customer: 'c', units: 2, more: 1 })).toThrow('Unexpected parameter: more');
    expect(redact(contract.input, 'input', { customer: 'c1', units: 2 })).toEqual({ customer: '[redacted]', units: 2 });
    expect(JSON.stringify(toDefinition(contract))).not.toContain('sensitive');
  });

  test('has its faults told also where a description is no text', () => {
    const input = { type: 'object', properties: { a: { type: 'string', description: 5 } } };
    const told = servedFaults(servedContract(place, announced({ input, examples: [{ input: { a: 'x' }, output: { total: 1 } }] })));
    expect(told).toMatchObject({ errors: [], warnings: [expect.stringContaining("'a' needs a description")] });
  });

  test('has a price, which is sent as it is, and of which a change waits for a person', () => {
    const priced = servedContract(place, announced({ cost: { micros: 250_000 } }));
    expect(priced.cost).toEqual({ micros: 250_000 });
    expect(toServedTool(priced).cost).toEqual({ micros: 250_000 });
    expect(widenedFields(announced({ cost: { micros: 1 } }), announced({ cost: { micros: 250_000 } }))).toEqual(['cost']);
    for (const micros of [-1, 0.5, 1_000_000_001, '5']) expect(() => announced({ cost: { micros } })).toThrow(z.ZodError);
  });

  test('drops unknown parameters where its schema leaves them open', () => {
    const open = servedContract(place, announced({ input: { type: 'object', properties: { a: { type: 'string', description: 'It.' } } } }));
    expect(validateInput(open, { a: 'x', b: 1 })).toEqual({ a: 'x' });
  });

  test('may be said as pydantic says it: with definitions, titles, defaults and null', () => {
    const input = {
      $defs: {
        Colour: { enum: ['red', 'blue'], title: 'Colour', type: 'string' },
        Line: {
          properties: {
            thing: { description: 'What.', maxLength: 20, minLength: 1, title: 'Thing', type: 'string' },
            units: { default: 1, description: 'How many.', maximum: 99, minimum: 1, title: 'Units', type: 'integer' },
          },
          required: ['thing'],
          title: 'Line',
          type: 'object',
        },
      },
      properties: {
        lines: { description: 'Lines.', items: { $ref: '#/$defs/Line' }, maxItems: 5, minItems: 1, title: 'Lines', type: 'array' },
        colour: { anyOf: [{ $ref: '#/$defs/Colour' }, { type: 'null' }], default: null, description: 'Of it.' },
        note: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null, description: 'A note.', sensitive: true, title: 'Note' },
      },
      required: ['lines'],
      title: 'Order',
      type: 'object',
    };
    const order = servedContract(place, announced({ input, examples: [{ input: { lines: [{ thing: 'a' }] }, output: { total: 1 } }] }));
    expect(servedFaults(order).errors).toEqual([]);
    expect(validateInput(order, { lines: [{ thing: 'a' }], colour: 'red' })).toMatchObject({ lines: [{ thing: 'a' }], colour: 'red' });
    expect(() => validateInput(order, { lines: [{ thing: '' }] })).toThrow(/lines\.0\.thing/);
    expect(redact(order.input, 'input', { lines: [], note: 'mine' })).toMatchObject({ note: '[redacted]' });
  });

  test('runs no regular expression of a stranger', () => {
    const input = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$', description: 'It.' } } };
    expect(validateInput(servedContract(place, announced({ input })), { a: `${'a'.repeat(40)}!` })).toHaveProperty('a');
  });
});

test('queues of two tenants are never the same, whatever their ids are', () => {
  const names = [
    { tenant: 'a', domain: 'b-c' },
    { tenant: 'a-b', domain: 'c' },
    { tenant: 'A', domain: 'b-c' },
    { tenant: 'ä/../*', domain: 'c' },
  ].map(servedDomainName);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(domainNamed(name)?.name).toBe(name);
});

test.each(['own-', 'own-0123456789abcdef-', 'own-0123456789abcdef-A', 'own-0123-sales', 'toString', '__proto__', ''])(
  '%j is no domain',
  (name) => {
    expect(domainNamed(name)).toBeUndefined();
  },
);

/** Regular expressions are the worker's to check. */
function comparable(value: object): unknown {
  return JSON.parse(JSON.stringify(value, (key, item: unknown) => (key === 'pattern' && typeof item === 'string' ? undefined : item)));
}

describe('our own contracts', () => {
  const ours = tools.filter(({ scopes, subject, aliases, source }) => !scopes && !subject && !aliases && !source);

  test('are said by the same data, without a loss', () => {
    expect(ours.length).toBeGreaterThan(3);
    for (const contract of ours) {
      const sent: unknown = JSON.parse(JSON.stringify(toServedTool(contract)));
      const again = servedContract({ tenant: 't', domain: contract.domain }, servedTool.parse(sent));
      expect(comparable(toDefinition(again))).toEqual(comparable(toDefinition(contract)));
      for (const side of ['input', 'output'] as const)
        expect(comparable(toMarkedJsonSchema(again[side], side))).toEqual(comparable(toMarkedJsonSchema(contract[side], side)));
      expect(servedFaults(again).errors).toEqual([]);
    }
  });

  test('with what a tenant cannot have are refused, not served without it', () => {
    const scoped = tools.filter(({ scopes }) => scopes);
    expect(scoped.length).toBeGreaterThan(0);
    for (const contract of scoped) expect(() => toServedTool(contract)).toThrow(z.ZodError);
  });
});

describe('a fault is named with what would be right', () => {
  test.each<[string, Parameters<typeof announced>[0], RegExp]>([
    ['a schema with conditions', { input: { type: 'object', if: {}, properties: {} } }, /input cannot be checked/],
    ['a schema of a list', { output: { type: 'array' } }, /output cannot be checked: it must be that of an object/],
    ['a reference to another host', { input: { type: 'object', properties: { a: { $ref: 'https://x.example/s' } } } }, /input cannot/],
  ])('%s', (_, more, message) => {
    expect(() => servedContract(place, announced(more))).toThrow(ServedToolError);
    expect(() => servedContract(place, announced(more))).toThrow(message);
  });

  const secretOutput = { type: 'object', properties: { link: { type: 'string', secret: true } }, required: ['link'] };
  const link = [{ input: { customer: 'c', units: 1 }, output: { link: 'x' } }];
  test.each<[string, Parameters<typeof announced>[0], RegExp]>([
    ['an example that does not fit', { examples: [{ input: { customer: 1, units: 1 }, output: { total: 1 } }] }, /examples\.0\.input/],
    ['an answer that does not fit', { examples: [{ input: { customer: 'c', units: 1 }, output: {} }] }, /examples\.0\.output/],
    ['a cache of what writes', { effect: 'write', cache: { ttl_seconds: 1 } }, /cache must be absent where effect is write/],
    ['a cache of secrets', { output: secretOutput, examples: link, cache: { ttl_seconds: 1 } }, /cache must be absent where output/],
    ['a key parameter that is none', { cache: { ttl_seconds: 1, key_params: ['toString'] } }, /names 'toString'/],
    [
      'a call that lasts for hours',
      { timeout_ms: 300_000, retry: { timeout: { times: 5, base_ms: 60_000 }, network: { times: 5, base_ms: 0 } } },
      /the most is/,
    ],
    ['a name that says nothing', { name: 'do_it' }, /says nothing/],
    [
      'a secret among the parameters',
      { input: { type: 'object', properties: { a: { type: 'string', secret: true } } }, examples: [{ input: {}, output: { total: 1 } }] },
      /mark it sensitive/,
    ],
  ])('%s', (_, more, message) => {
    expect(servedFaults(servedContract(place, announced(more))).errors.join('\n')).toMatch(message);
  });

  test.each<[string, Record<string, unknown>]>([
    ['a name with __', { name: 'a__b' }],
    ['a name with a line end', { name: 'a\n' }],
    ['a version of two numbers', { version: '1.0' }],
    ['a version that JSON would not tell apart', { version: '01.0.0' }],
    ['an error code that is none', { errors: { X: 'NOPE' } }],
    ['a cache for every tenant', { cache: { ttl_seconds: 1, scope: 'public' } }],
    ['a field of ours', { internal: true }],
  ])('%s is refused by its form', (_, more) => {
    expect(servedTool.safeParse({ ...announced(), ...more }).success).toBe(false);
  });
});

test('a contract that is sound has no faults, and what only a model feels are warnings', () => {
  expect(servedFaults(servedContract(place, announced()))).toEqual({ errors: [], warnings: [] });
  expect(servedFaults(servedContract(place, announced({ description: 'Quotes' })))).toMatchObject({
    errors: [],
    warnings: [expect.stringContaining('purpose'), expect.stringContaining('whole sentence')],
  });
});

describe('the size of a contract is bounded before anything is made of it', () => {
  const nested = (levels: number) => Array.from({ length: levels }).reduce<object>((inner) => ({ items: inner }), {});
  test.each<[string, object, RegExp | null]>([
    ['its own', announced(), null],
    ['many bytes', { title: 'x'.repeat(70_000) }, /65536 bytes/],
    ['many bytes in few characters', { title: '界'.repeat(30_000) }, /65536 bytes/],
    ['depth', { input: nested(30) }, /24 levels/],
    ['many values', { input: { enum: Array.from({ length: 5_000 }, (_, n) => n) } }, /4000 values/],
  ])('%s', (_, tool, fault) => {
    if (fault) expect(servedSizeFault(tool)).toMatch(fault);
    else expect(servedSizeFault(tool)).toBeNull();
  });
});

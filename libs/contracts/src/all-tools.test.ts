// Over every contract of the product: what must hold for a tool to be served in every form.
import { describe, expect, test } from '@jest/globals';
import { Catalog } from './catalog.js';
import type { DefinedTool } from './define-tool.js';
import { toDefinition } from './derive/definition.js';
import { toJsonSchema, type JsonSchema } from './derive/json-schema.js';
import { maxAttempts, wholeDeadlineMs } from './derive/job-options.js';
import { markedPaths, redact, replaceAt } from './derive/redaction.js';
import { domains } from './domains.js';
import { errorCodes, failureKinds } from './errors.js';
import { tools } from './all-tools.js';

const longestDeadlineMs = 10 * 60_000;

function* everySchema(schema: JsonSchema, path: string): Generator<readonly [string, JsonSchema]> {
  yield [path, schema];
  for (const [name, property] of Object.entries(schema.properties ?? {})) yield* everySchema(property, `${path}.${name}`);
  if (schema.items) yield* everySchema(schema.items, `${path}[]`);
  for (const option of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) yield* everySchema(option, path);
}

test('names and aliases are all different', () => {
  expect(() => new Catalog(tools)).not.toThrow();
});

describe.each(tools.map((contract): [string, DefinedTool] => [`${contract.name} ${contract.version}`, contract]))(
  '%s',
  (_name, contract) => {
    const input = toJsonSchema(contract.input, 'input');
    const output = toJsonSchema(contract.output, 'output');

    test('has a name that every platform takes, and a version', () => {
      expect(contract.name).toMatch(/^[a-z][a-z0-9_]{0,63}$/);
      expect(contract.version).toMatch(/^\d+\.\d+\.\d+$/);
      if (contract.changelog) expect(contract.changelog).toHaveProperty([contract.version]);
      expect(domains).toHaveProperty(contract.domain);
    });

    test('has its words for people in Chinese, with the values that callers write as they are', () => {
      expect(contract.zh?.title).toMatch(/\p{Script=Han}/u);
      expect(contract.zh?.description).toMatch(/\p{Script=Han}.*。$/u);
      expect(toDefinition(contract, 'zh')).toEqual({ ...toDefinition(contract), ...contract.zh });
    });

    test('takes a strict object and gives an object, both sayable in JSON Schema', () => {
      expect(input).toMatchObject({ type: 'object', additionalProperties: false });
      expect(output).toMatchObject({ type: 'object' });
      expect(JSON.stringify([input, output])).not.toMatch(/"(sensitive|secret)"/);
    });

    test('describes itself and every parameter, and claims no name of ours', () => {
      expect(contract.description.length).toBeGreaterThan(20);
      for (const [name, property] of Object.entries(input.properties ?? {})) {
        expect([name, property.description]).toEqual([name, expect.stringMatching(/\S{2}/)]);
        expect(name).not.toMatch(/^_|^debug$/);
      }
    });

    test('has no parameter that chooses between tools', () => {
      expect(Object.keys(input.properties ?? {})).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/^(action|operation|command)$/)]),
      );
    });

    test('has examples that parse both ways', () => {
      for (const example of contract.examples) {
        expect(contract.input.safeParse(example.input).error).toBeUndefined();
        expect(contract.output.safeParse(example.output).error).toBeUndefined();
      }
    });

    test('names a code of the table for each of its errors, and a literal for every kind of failure or for none', () => {
      for (const code of Object.values(contract.errors)) expect(errorCodes).toHaveProperty(code);
      if (contract.failures) expect(Object.keys(contract.failures).toSorted()).toEqual([...failureKinds].toSorted());
    });

    test('keeps its caller waiting for minutes at most', () => {
      expect(contract.timeoutMs).toBeGreaterThan(0);
      expect(maxAttempts(contract)).toBeLessThanOrEqual(20);
      expect(wholeDeadlineMs(contract)).toBeLessThanOrEqual(longestDeadlineMs);
    });

    test('caches nothing that is secret, changes something, or is not idempotent', () => {
      if (!contract.cache) return;
      expect(markedPaths(contract.output, 'output', ['secret'])).toEqual([]);
      expect(contract.effect).toBe('read');
      expect(contract.idempotent ?? true).toBe(true);
      for (const name of contract.cache.keyParams ?? []) expect(input.properties).toHaveProperty(name);
    });

    test('names a subject that is one of its parameters', () => {
      if (contract.subject) expect(input.properties).toHaveProperty(contract.subject.param);
    });

    test('is served with all fields of the source definition', () => {
      expect(toDefinition(contract)).toMatchObject({
        name: contract.name,
        description: contract.description,
        parameters: input,
        strict: true,
        version: contract.version,
        cacheable: contract.cache !== undefined,
        deprecated: contract.deprecated ?? false,
        estimated_tokens: contract.estimatedTokens,
        timeout_ms: contract.timeoutMs,
      });
    });

    test('gives no answer that lacks a field which it promises', () => {
      const [{ output: example }] = contract.examples;
      for (const name of output.required ?? []) {
        const { [name]: _, ...rest } = { ...(example as Record<string, unknown>) };
        expect([name, contract.output.safeParse(rest).success]).toEqual([name, false]);
      }
    });

    test('gives no field that it does not promise', () => {
      const parsed = contract.output.safeParse({ ...(contract.examples[0].output as object), no_such_field: 1 });
      expect(parsed.success ? Object.keys(parsed.data as object) : []).not.toContain('no_such_field');
    });

    test('shows nothing of its examples in logs that it marks as sensitive or secret', () => {
      const [{ output: example }] = contract.examples;
      const marked = markedPaths(contract.output, 'output', ['sensitive', 'secret']);
      const shown = redact(contract.output, 'output', example);
      replaceAt(shown, marked, (value, path) => {
        expect([path, value]).toEqual([path, '[redacted]']);
        return value;
      });
    });

    test('writes no schema wider than a reader can follow', () => {
      expect([...everySchema(input, contract.name)].length).toBeLessThan(200);
    });
  },
);

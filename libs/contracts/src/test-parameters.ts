// Tables of parameters for the tests of contracts: each field with what it takes, what it refuses and why.
import { describe, expect, test } from '@jest/globals';
import { completeError } from './complete-error.js';
import { coerceQuery } from './coerce-query.js';
import type { ToolContract } from './define-tool.js';
import { Refusal, type ErrorCode, type FailureKind, type ToolError } from './errors.js';
import { failureError } from './failure-error.js';
import { validateInput } from './validate.js';

interface FieldCases {
  readonly required?: boolean;
  /** What the field is when it is left out, or null. */
  readonly byDefault?: unknown;
  /** Values that are taken as they are. */
  readonly takes?: readonly unknown[];
  /** Values that are taken as another one. */
  readonly takesAs?: readonly (readonly [given: unknown, parsed: unknown])[];
  /** A value and the message of its fault. One that begins with `must` is expected behind the name of the parameter. */
  readonly refuses?: readonly (readonly [value: unknown, message: string])[];
  /** Texts of a query string, and the values that they stand for. */
  readonly query?: readonly (readonly [text: string | readonly string[], value: unknown])[];
}

interface ParameterCases {
  /** Parameters that are taken, in which one field after the other is changed. */
  readonly good: Readonly<Record<string, unknown>>;
  readonly fields: Readonly<Record<string, FieldCases>>;
}

/** The error that parameters are refused with. Fails where they are taken. */
export function refusalOf(contract: ToolContract, input: unknown): ToolError {
  try {
    validateInput(contract, input);
  } catch (error) {
    if (error instanceof Refusal) return error.error;
    throw error;
  }
  throw new Error('these parameters were taken');
}

function parsed(contract: ToolContract, input: unknown): Record<string, unknown> {
  return { ...validateInput(contract, input) };
}

/** Declares the tests of a table. */
export function testParameters(contract: ToolContract, { good, fields }: ParameterCases): void {
  const rows = Object.entries(fields);
  const without = (name: string) => Object.fromEntries(Object.entries(good).filter(([other]) => other !== name));

  describe(`the parameters of ${contract.name}@${contract.version}`, () => {
    test('are those of this table', () => {
      const declared = 'shape' in contract.input ? Object.keys({ ...(contract.input.shape as object) }) : [];
      expect(Object.keys(fields).toSorted()).toEqual(declared.toSorted());
      expect(() => validateInput(contract, good)).not.toThrow();
    });

    test('of another name are refused, whatever they hold', () => {
      for (const value of [1, null, {}, 'x'])
        expect(refusalOf(contract, { ...good, no_such_name: value })).toMatchObject({
          code: 'INVALID_PARAMS',
          details: [{ path: 'no_such_name', message: 'Unexpected parameter: no_such_name' }],
        });
    });

    test.each(rows)('%s is required, or has its default where it is left out or null', (name, { required, byDefault }) => {
      if (required) {
        expect(refusalOf(contract, without(name)).details).toContainEqual({ path: name, message: `Missing required parameter: ${name}` });
        expect(refusalOf(contract, { ...good, [name]: null }).details?.[0]?.path).toBe(name);
        return;
      }
      expect(parsed(contract, without(name))[name]).toEqual(byDefault);
      expect(parsed(contract, { ...good, [name]: null })[name]).toEqual(byDefault);
    });

    const taken = rows.flatMap(([name, { takes = [], takesAs = [] }]) =>
      [...takes.map((value) => [value, value] as const), ...takesAs].map(([given, value]) => ({ name, given, value, shown: brief(given) })),
    );
    if (taken.length > 0)
      test.each(taken)('$name takes $shown', ({ name, given, value }) => {
        expect(parsed(contract, { ...good, [name]: given })[name]).toEqual(value);
      });

    const refused = rows.flatMap(([name, { refuses = [] }]) =>
      refuses.map(([value, message]) => ({ name, value, message, shown: brief(value) })),
    );
    test.each(refused)('$name refuses $shown: $message', ({ name, value, message }) => {
      const error = refusalOf(contract, { ...good, [name]: value });
      const details = error.details ?? [];
      const expected = details.map(({ path }) => (message.startsWith('must ') ? `Parameter '${path}' ${message}` : message));
      expect(details.filter((detail, index) => detail.message === expected[index])).not.toEqual([]);
      expect(error.details?.every(({ path }) => path === name || path.startsWith(`${name}.`))).toBe(true);
    });

    const queries = rows.flatMap(([name, { query = [] }]) => query.map(([text, value]) => ({ name, text, value })));
    if (queries.length > 0)
      test.each(queries)('$name is $value where a query string has $text', ({ name, text, value }) => {
        expect(parsed(contract, { ...good, ...coerceQuery(contract, { [name]: text }) })[name]).toEqual(value);
      });
  });
}

/** A value as a test's name shows it: long ones by their beginning. */
function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 40)}… (${text.length})` : text;
}

/** Declares the tests of a tool's error names: what each code and each kind of failure is called in the words of its source. */
export function testErrors(
  contract: ToolContract,
  table: {
    readonly refusals?: Readonly<Partial<Record<ErrorCode, string | undefined>>>;
    readonly failures?: Readonly<Partial<Record<FailureKind, string | undefined>>>;
    readonly advice?: Readonly<Record<string, readonly string[] | undefined>>;
    readonly retryHintMs?: number;
  },
): void {
  describe(`the errors of ${contract.name}@${contract.version}`, () => {
    const refusals = (Object.keys(table.refusals ?? {}) as ErrorCode[]).map((code) => [code, table.refusals?.[code]] as const);
    if (refusals.length > 0)
      test.each(refusals)('%s before the handler runs is called %s', (code, native) => {
        expect(completeError(contract, { code, family: code, message: 'm' }).native_code).toBe(native);
      });

    const failures = (Object.keys(table.failures ?? {}) as FailureKind[]).map((kind) => [kind, table.failures?.[kind]] as const);
    if (failures.length > 0)
      test.each(failures)('a failure of the kind %s is called %s', (kind, native) => {
        const error = failureError(contract, kind);
        expect([error.native_code, error.code]).toEqual([native, error.family]);
        expect(error.retry_after_ms).toBe(kind === 'internal' ? undefined : table.retryHintMs);
      });

    const advice = Object.entries(table.advice ?? {});
    if (advice.length > 0)
      test.each(advice)('%s leads to %j', (literal, fallback) => {
        const { extra } = completeError(contract, { code: 'X', family: 'EXECUTION_ERROR', native_code: literal, message: 'm' });
        expect(extra?.['fallback']).toEqual(fallback);
        if (fallback) expect(extra?.['suggestion']).toMatch(/\S{4}/);
      });
  });
}

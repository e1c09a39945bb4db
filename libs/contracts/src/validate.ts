// Parameters against a contract, with the documented messages (TU-16, TU-17, TU-92) made from Zod's issues.
import { z } from 'zod';
import type { ToolContract, ToolInput } from './define-tool.js';
import { Refusal, type ParameterFault } from './errors.js';
import { withoutForeignNulls } from './derive/foreign-nulls.js';
import { toJsonSchema, type JsonSchema } from './derive/json-schema.js';
import { respelled } from './respell.js';

type Issue = z.core.$ZodIssue;

/** Stands for Zod's own text: a schema's own message comes before it. */
const noMessage = '-';

/** The parsed parameters. Throws a Refusal INVALID_PARAMS that names every fault. */
export function validateInput<Contract extends ToolContract>(contract: Contract, input: unknown): ToolInput<Contract>;
export function validateInput(contract: ToolContract, input: unknown): unknown {
  const schema = toJsonSchema(contract.input, 'input');
  const given = contract.anyCase ? respelled(schema, input) : input;
  const parsed = contract.input.safeParse(withoutForeignNulls(schema, given), { error: () => noMessage });
  if (parsed.success) return parsed.data;
  throw invalidParams(
    contract,
    parsed.error.issues.flatMap((issue) => faultsOf(contract, issue, given)),
  );
}

function invalidParams(contract: ToolContract, faults: readonly ParameterFault[]): Refusal {
  const native = contract.natives?.INVALID_PARAMS;
  return new Refusal('INVALID_PARAMS', faults.map((fault) => fault.message).join('; '), {
    details: faults.map(({ path, message }) => ({ path, message })),
    native_code: typeof native === 'function' ? native(faults) : native,
  });
}

/**
 * Query strings carry text only; this reads numbers, booleans and repeated values as the schema asks (C-20).
 * Text that does not fit is left as it is, so validation names it.
 */
export function coerceQuery(contract: ToolContract, query: Readonly<Record<string, string | readonly string[]>>): Record<string, unknown> {
  const properties = toJsonSchema(contract.input, 'input').properties ?? {};
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, coerce(value, properties[name])]));
}

function coerce(value: string | readonly string[], schema: JsonSchema | undefined): unknown {
  const type = schema?.type;
  if (type === 'array') return (typeof value === 'string' ? value.split(',') : value).map((item) => coerce(item, schema?.items));
  if (typeof value !== 'string') return value;
  if ((type === 'number' || type === 'integer') && /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(value)) return Number(value);
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  if (type === 'object') return parsedOr(value);
  return value;
}

function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function faultsOf(contract: ToolContract, issue: Issue, input: unknown): ParameterFault[] {
  const path = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const full = path ? `${path}.${key}` : key;
      return { kind: 'unexpected', path: full, message: `Unexpected parameter: ${shown(full)}` };
    });
  }
  if (!path) return [{ kind: 'type', path, message: `The parameters must be a JSON object, not ${nameOf(input)}` }];
  const at = valueAt(input, issue.path);
  if (at === undefined && (issue.code === 'invalid_type' || issue.code === 'invalid_value'))
    return [{ kind: 'missing', path, message: `Missing required parameter: ${path}` }];
  const schema = issue.path.length === 1 ? toJsonSchema(contract.input, 'input').properties?.[path] : undefined;
  return [{ ...describe(issue, at, { name: `Parameter '${path}'`, schema }), path }];
}

/** A message that the contract gives is kept; the rest have ours. */
function describe(
  issue: Issue,
  value: unknown,
  { name, schema }: { readonly name: string; readonly schema: JsonSchema | undefined },
): Pick<ParameterFault, 'kind' | 'message'> {
  switch (issue.code) {
    case 'invalid_type':
      return { kind: 'type', message: `${name} must be ${expectedType(issue.expected, schema)}, not ${nameOf(value)}` };
    case 'invalid_value':
      return { kind: 'enum', message: ownMessage(issue) ?? `${name} must be one of [${issue.values.map(String).join(', ')}]` };
    case 'too_small':
      return {
        kind: 'range',
        message:
          ownMessage(issue) ??
          `${name} must ${bound(issue.origin, Number(issue.minimum), issue.inclusive === false ? 'more than' : 'at least')}`,
      };
    case 'too_big':
      return {
        kind: 'range',
        message:
          ownMessage(issue) ??
          `${name} must ${bound(issue.origin, Number(issue.maximum), issue.inclusive === false ? 'less than' : 'at most')}`,
      };
    default:
      return { kind: 'other', message: ownMessage(issue) ?? `Validation error: ${name} is not valid${formatOf(issue)}` };
  }
}

/** Such as ` (uuid)`, where the schema names a format. */
function formatOf(issue: Issue): string {
  return issue.code === 'invalid_format' ? ` (${issue.format})` : '';
}

function bound(origin: string, limit: number, side: 'at least' | 'more than' | 'at most' | 'less than'): string {
  const many = limit === 1 ? '' : 's';
  if (origin === 'string') return `have ${side} ${limit} character${many}`;
  if (origin === 'array' || origin === 'set') return `have ${side} ${limit} item${many}`;
  return `be ${side} ${limit}`;
}

function ownMessage(issue: Issue): string | undefined {
  return issue.message === noMessage ? undefined : issue.message;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined),
    input,
  );
}

/** The schema's own word where there is one: Zod calls a string in an integer's place "not a number". */
function expectedType(expected: string, schema: JsonSchema | undefined): string {
  if (typeof schema?.type === 'string') return schema.type;
  if (expected === 'int') return 'integer';
  return expected === 'record' ? 'object' : expected;
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

/** A name from outside is quoted into messages: keep it short and printable. */
function shown(name: string): string {
  const printable = name.replace(/[^\x20-\x7e\p{L}\p{N}]/gu, '?');
  return printable.length > 80 ? `${printable.slice(0, 80)}…` : printable;
}

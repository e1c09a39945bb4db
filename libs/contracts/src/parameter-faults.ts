// Describes what is wrong with a value that a schema refused. Zod's issues become the documented messages (TU-16, TU-17, TU-92).
import { z } from 'zod';
import { toJsonSchema, type JsonSchema } from './derive/json-schema.js';
import { Refusal, type FaultDetail, type ParameterFault } from './errors.js';

type Issue = z.core.$ZodIssue;
type ParsedParameters<Schema extends z.ZodType> =
  | { readonly success: true; readonly data: z.output<Schema> }
  | { readonly success: false; readonly faults: readonly ParameterFault[] };

/** Faults that are told. Who sends thousands of wrong names would get an answer that is larger than the request, and dearer. */
const mostFaults = 50;
/** Replaces Zod's own text, so that only messages which a schema gives itself are left. */
const noMessage = '-';

/**
 * Parses a value from outside. Every fault names its parameter: `Parameter 'age' must be integer, not string`.
 * A message that the schema gives itself is kept; one that begins with `must` gets the parameter's name before it. Of many faults the
 * first are told, and how many more there are.
 * @param given the value as the caller sent it, where `value` is a corrected form of it: messages speak about `given`
 */
export function parseParameters<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  given: unknown = value,
): ParsedParameters<Schema> {
  const parsed = schema.safeParse(value, { error: () => noMessage });
  if (parsed.success) return parsed;
  const faults = [...firstFaults(schema, parsed.error.issues, given)];
  const more = numberOf(parsed.error.issues) - faults.length;
  if (more <= 0) return { success: false, faults };
  return { success: false, faults: [...faults, { kind: 'other', path: '', message: `${more} more faults` }] };
}

function* firstFaults(schema: z.ZodType, issues: readonly Issue[], given: unknown): Generator<ParameterFault> {
  let left = mostFaults;
  for (const issue of issues) {
    if (left <= 0) return;
    const faults = faultsOf(schema, issue.code === 'unrecognized_keys' ? { ...issue, keys: issue.keys.slice(0, left) } : issue, given);
    left -= faults.length;
    yield* faults;
  }
}

/** One name that is not expected is one fault. */
function numberOf(issues: readonly Issue[]): number {
  return issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1), 0);
}

/** One line for people, and one detail for each fault. */
export function describeFaults(faults: readonly FaultDetail[]): { readonly message: string; readonly details: readonly FaultDetail[] } {
  return { message: faults.map((fault) => fault.message).join('; '), details: faults.map(({ path, message }) => ({ path, message })) };
}

/** The parsed value. Throws a Refusal INVALID_PARAMS with a detail for each fault that is told. */
export function parseOrRefuse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = parseParameters(schema, value);
  if (parsed.success) return parsed.data;
  const { message, details } = describeFaults(parsed.faults);
  throw new Refusal('INVALID_PARAMS', message, { details });
}

function faultsOf(schema: z.ZodType, issue: Issue, given: unknown): ParameterFault[] {
  const path = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const full = path ? `${path}.${key}` : key;
      return { kind: 'unexpected', path: full, message: `Unexpected parameter: ${printable(full)}` };
    });
  }
  if (!path) return [{ ...describeWhole(issue, given), path }];
  const value = valueAt(given, issue.path);
  if (value === undefined && (issue.code === 'invalid_type' || issue.code === 'invalid_value'))
    return [{ kind: 'missing', path, message: `Missing required parameter: ${printable(path)}` }];
  const { kind, message } = describe(issue, value, { path, schema });
  return [{ kind, path, message: message.startsWith('must ') ? `Parameter '${printable(path)}' ${message}` : message }];
}

/** A fault of the parameters as a whole: either they are no object, or a rule over several of them is broken. */
function describeWhole(issue: Issue, given: unknown): Pick<ParameterFault, 'kind' | 'message'> {
  const own = ownMessage(issue);
  return own === undefined
    ? { kind: 'type', message: `The parameters must be a JSON object, not ${typeName(given)}` }
    : { kind: 'other', message: own };
}

/** The schema's own message, else ours. What begins with `must` lacks the parameter's name. */
function describe(
  issue: Issue,
  value: unknown,
  { path, schema }: { readonly path: string; readonly schema: z.ZodType },
): Pick<ParameterFault, 'kind' | 'message'> {
  const own = ownMessage(issue);
  switch (issue.code) {
    case 'invalid_type':
      return { kind: 'type', message: `must be ${expectedType(schema, issue)}, not ${typeName(value)}` };
    case 'invalid_value':
      return { kind: 'enum', message: own ?? `must be one of [${issue.values.map(String).join(', ')}]` };
    case 'too_small':
      return { kind: 'range', message: own ?? bound(issue.origin, Number(issue.minimum), lowerBound(issue.inclusive)) };
    case 'too_big':
      return { kind: 'range', message: own ?? bound(issue.origin, Number(issue.maximum), upperBound(issue.inclusive)) };
    default:
      return { kind: 'other', message: own ?? `Validation error: Parameter '${printable(path)}' is not valid${formatOf(issue)}` };
  }
}

/** Such as ` (uuid)`, where the schema names a format. */
function formatOf(issue: Issue): string {
  return issue.code === 'invalid_format' ? ` (${issue.format})` : '';
}

type Comparison = 'at least' | 'more than' | 'at most' | 'less than';

function lowerBound(inclusive: boolean | undefined): Comparison {
  return inclusive === false ? 'more than' : 'at least';
}

function upperBound(inclusive: boolean | undefined): Comparison {
  return inclusive === false ? 'less than' : 'at most';
}

function bound(origin: string, limit: number, comparison: Comparison): string {
  const plural = limit === 1 ? '' : 's';
  if (origin === 'string') return `must have ${comparison} ${limit} character${plural}`;
  if (origin === 'array' || origin === 'set') return `must have ${comparison} ${limit} item${plural}`;
  return `must be ${comparison} ${limit}`;
}

function ownMessage(issue: Issue): string | undefined {
  return issue.message === noMessage ? undefined : issue.message;
}

function valueAt(given: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined),
    given,
  );
}

/** The type as JSON Schema names it. Zod alone says `number` where the schema asks for an integer and a string came. */
function expectedType(schema: z.ZodType, issue: z.core.$ZodIssueInvalidType): string {
  const [name, ...deeper] = issue.path;
  const property: JsonSchema | undefined = deeper.length === 0 ? toJsonSchema(schema, 'input').properties?.[String(name)] : undefined;
  if (typeof property?.type === 'string') return property.type;
  if (issue.expected === 'int') return 'integer';
  return issue.expected === 'record' ? 'object' : issue.expected;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

/** A name that a caller chose, short and without control characters, since messages are logged and shown. */
function printable(name: string): string {
  const safe = (text: string) => text.replace(/[^\x20-\x7e\p{L}\p{N}]/gu, '?');
  return name.length > 80 ? `${safe(name.slice(0, 80))}…` : safe(name);
}

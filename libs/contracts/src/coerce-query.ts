import type { ToolContract } from './define-tool.js';
import { toJsonSchema, type JsonSchema } from './derive/json-schema.js';

/**
 * Parameters from a query string, which carries text only: numbers, booleans, lists and objects are read as the schema asks (C-20).
 * Text that does not fit is left as it is, so that validation names it.
 */
export function coerceQuery(contract: ToolContract, query: Readonly<Record<string, string | readonly string[]>>): Record<string, unknown> {
  const properties = toJsonSchema(contract.input, 'input').properties ?? {};
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, coerce(value, Object.hasOwn(properties, name) ? properties[name] : undefined)]),
  );
}

function coerce(value: string | readonly string[], schema: JsonSchema | undefined): unknown {
  const type = schema?.type;
  if (type === 'array') return (typeof value === 'string' ? value.split(',') : value).map((item) => coerce(item, schema?.items));
  if (typeof value !== 'string') return value;
  if (type === 'number' || type === 'integer') return numberOr(value);
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  if (type === 'object') return jsonOr(value);
  return value;
}

/** Accepts decimal notation only, like JSON. A number beyond the range of doubles stays text. */
function numberOr(text: string): number | string {
  const number = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : NaN;
  return Number.isFinite(number) ? number : text;
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

import { z } from 'zod';
import { memoized } from './memoized.js';

const inherited = Object.getOwnPropertyNames(Object.prototype);
const named = new WeakMap<z.ZodType, boolean>();

/**
 * A value to be parsed by a schema. Zod reads properties without asking whose they are, so a parameter called `constructor` or `toString`
 * would be there in every object: where a schema has one, objects of the value are copied without a prototype.
 */
export function ownProperties(schema: z.ZodType, value: unknown): unknown {
  return memoized(named, schema, () => namesInherited(schema)) ? withoutPrototypes(value) : value;
}

function namesInherited(schema: z.ZodType): boolean {
  const text = JSON.stringify(z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }));
  return inherited.some((name) => text.includes(`"${name}":`));
}

/** What is no plain object or list stays. */
function withoutPrototypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPrototypes);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const copy: Record<string, unknown> = Object.create(null);
  for (const [name, item] of Object.entries(value)) copy[name] = withoutPrototypes(item);
  return copy;
}

/** A JSON object, its own keys only; `__proto__` can be one of them. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at this key as an object; an empty one when there is none. */
export function objectAt(holder: unknown, key: string): JsonObject {
  const value = isObject(holder) ? holder[key] : undefined;
  return isObject(value) ? value : {};
}

export function listAt(holder: unknown, key: string): readonly unknown[] {
  const value: unknown = isObject(holder) ? holder[key] : undefined;
  return Array.isArray(value) ? value : [];
}

export function textAt(holder: unknown, key: string): string | null {
  const value = isObject(holder) ? holder[key] : undefined;
  return typeof value === 'string' ? value : null;
}

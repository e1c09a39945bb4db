export type Shape = string | readonly Shape[] | { readonly [field: string]: Shape };

/**
 * The kinds of all values of a JSON answer, field by field: `{ a: 1, b: ['x'] }` has the shape `{ a: 'number', b: ['string'] }`.
 *
 * A field `"…"` stands for further fields and is left out. A list has the shape of its first element.
 */
export function shapeOf(value: unknown): Shape {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (value === null || typeof value !== 'object') return value === null ? 'null' : typeof value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== '…')
      .map(([name, field]) => [name, shapeOf(field)]),
  );
}

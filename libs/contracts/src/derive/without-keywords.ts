/** Keywords whose values are data. What stands in them is no keyword, whatever it is called. */
export const dataKeywords: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples', 'required']);
/** Keywords that hold schemas by names which the author chose. */
export const mapKeywords: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas']);

/** Whether a keyword is left out. */
export type IsDropped = (keyword: string, value: unknown) => boolean;

/** A copy of a JSON Schema without the keywords that `isDropped` names, at any depth. Data and names stay. */
export function withoutKeywords(schema: object, isDropped: IsDropped): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword, value]) => !isDropped(keyword, value))
      .map(([keyword, value]) => [keyword, valueOf(keyword, value, isDropped)]),
  );
}

function valueOf(keyword: string, value: unknown, isDropped: IsDropped): unknown {
  if (dataKeywords.has(keyword)) return value;
  if (!mapKeywords.has(keyword) || !isObject(value)) return partOf(value, isDropped);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, partOf(part, isDropped)]));
}

function partOf(part: unknown, isDropped: IsDropped): unknown {
  if (Array.isArray(part)) return part.map((one: unknown) => partOf(one, isDropped));
  return isObject(part) ? withoutKeywords(part, isDropped) : part;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

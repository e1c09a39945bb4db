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
      .map(([keyword, value]) => [keyword, mapSchemas(keyword, value, (part) => partOf(part, isDropped))]),
  );
}

/** A keyword's value with its schemas changed; names that the author chose, and data, stay. @param place of the schema under this one */
export function mapSchemas(keyword: string, value: unknown, change: (part: unknown, place: string) => unknown): unknown {
  if (dataKeywords.has(keyword)) return value;
  if (!mapKeywords.has(keyword) || !isObject(value)) return change(value, keyword);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, change(part, `${keyword}/${name}`)]));
}

function partOf(part: unknown, isDropped: IsDropped): unknown {
  if (Array.isArray(part)) return part.map((one: unknown) => partOf(one, isDropped));
  return isObject(part) ? withoutKeywords(part, isDropped) : part;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

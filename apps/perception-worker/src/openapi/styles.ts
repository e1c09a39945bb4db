// Values of parameters as the styles of OpenAPI write them (RFC 6570, and what the standard adds).
import { isJsonObject, type OperationParameter } from '#lib/contracts';

/** A name and a value of a query or a form, encoded. */
export type Pair = readonly [name: string, value: string];

/** A value as text; what is no single value is JSON. */
export function plainText(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

type Encode = (text: string) => string;

/** With `allowReserved` what means something within a query is encoded still: one value stays one. */
export function encoderOf({ allowReserved }: Pick<OperationParameter, 'allowReserved'>): Encode {
  return allowReserved === true
    ? (text) => encodeURIComponent(text).replaceAll(/%(3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/g, unescape1)
    : encodeURIComponent;
}

function unescape1(code: string): string {
  return decodeURIComponent(code);
}

/** The pairs of a parameter of a query or a field of a form; none for what is absent. */
export function pairsOf(
  { name, style, explode }: Pick<OperationParameter, 'name' | 'style' | 'explode'>,
  value: unknown,
  encode: Encode = encodeURIComponent,
): readonly Pair[] {
  const key = encodeURIComponent(name);
  if (value === undefined || value === null) return [];
  if (style === 'json') return [[key, encode(JSON.stringify(value))]];
  if (style === 'deepObject') return deepPairs(key, value, encode);
  if (Array.isArray(value)) {
    const items = value.map((item) => encode(plainText(item)));
    if (explode) return items.map((item): Pair => [key, item]);
    return items.length === 0 ? [] : [[key, items.join(separators[style] ?? ',')]];
  }
  if (!isJsonObject(value)) return [[key, encode(plainText(value))]];
  const fields = Object.entries(value).filter(([, field]) => field !== undefined && field !== null);
  if (explode) return fields.map(([field, inner]): Pair => [encodeURIComponent(field), encode(plainText(inner))]);
  return fields.length === 0
    ? []
    : [[key, fields.flatMap(([field, inner]) => [encode(field), encode(plainText(inner))]).join(separators[style] ?? ',')]];
}

const separators: Readonly<Record<string, string>> = { spaceDelimited: '%20', pipeDelimited: '%7C' };

/** `name[field][inner]=value`, and `name[0]` for items, as services that take such forms read them. */
function deepPairs(key: string, value: unknown, encode: Encode): readonly Pair[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item, index) => deepPairs(`${key}%5B${index}%5D`, item, encode));
  if (isJsonObject(value))
    return Object.entries(value).flatMap(([field, inner]) => deepPairs(`${key}%5B${encodeURIComponent(field)}%5D`, inner, encode));
  return [[key, encode(plainText(value))]];
}

/** The value of a parameter of a path, encoded. */
export function pathText({ name, style, explode }: OperationParameter, value: unknown): string {
  const list = Array.isArray(value) ? value.map((item) => encodeURIComponent(plainText(item))) : null;
  const fields = isJsonObject(value)
    ? Object.entries(value).map(([field, inner]) => [encodeURIComponent(field), encodeURIComponent(plainText(inner))])
    : null;
  const single = encodeURIComponent(style === 'json' ? JSON.stringify(value) : plainText(value));
  const key = encodeURIComponent(name);
  switch (style) {
    case 'label':
      if (list) return `.${list.join(explode ? '.' : ',')}`;
      return fields ? `.${joined(fields, explode, '.')}` : `.${single}`;
    case 'matrix':
      if (list) return explode ? list.map((item) => `;${key}=${item}`).join('') : `;${key}=${list.join(',')}`;
      if (fields) return explode ? `;${joined(fields, true, ';')}` : `;${key}=${joined(fields, false, ',')}`;
      return `;${key}=${single}`;
    case 'json':
      return single;
    default:
      if (list) return list.join(',');
      return fields ? joined(fields, explode, ',') : single;
  }
}

/** The value of a header, as it is. */
export function headerText({ style, explode }: OperationParameter, value: unknown): string {
  if (style === 'json') return JSON.stringify(value);
  if (Array.isArray(value)) return value.map(plainText).join(',');
  if (isJsonObject(value))
    return joined(
      Object.entries(value).map(([field, inner]) => [field, plainText(inner)]),
      explode,
      ',',
    );
  return plainText(value);
}

function joined(fields: readonly (readonly string[])[], explode: boolean, between: string): string {
  return explode ? fields.map((field) => field.join('=')).join(between) : fields.flat().join(',');
}

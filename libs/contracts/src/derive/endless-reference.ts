type Schema = Readonly<Record<string, unknown>>;

/**
 * The first reference that leads back to itself without going into a field or an item: checking a value against it never ends. Null where
 * there is none.
 */
export function endlessReference(schema: Schema): string | null {
  const ending = new Set<string>();
  const endless = (ref: string, open: ReadonlySet<string>): string | null => {
    if (ending.has(ref)) return null;
    if (open.has(ref)) return ref;
    for (const next of referencesOf(definitionOf(schema, ref))) {
      const found = endless(next, new Set([...open, ref]));
      if (found !== null) return found;
    }
    ending.add(ref);
    return null;
  };
  for (const ref of ['#', ...['$defs', 'definitions'].flatMap((holder) => namesOf(schema, holder))]) {
    const found = endless(ref, new Set());
    if (found !== null) return found;
  }
  return null;
}

/** The references that a value meets at once, beside what the schema says itself. */
function referencesOf(schema: unknown): readonly string[] {
  if (!isSchema(schema)) return [];
  const parts = ['anyOf', 'oneOf', 'allOf'].flatMap((keyword) => schema[keyword]);
  return [...(typeof schema['$ref'] === 'string' ? [schema['$ref']] : []), ...parts.flatMap(referencesOf)];
}

function namesOf(schema: Schema, holder: string): readonly string[] {
  const named = schema[holder];
  return isSchema(named) ? Object.keys(named).map((name) => `#/${holder}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`) : [];
}

function definitionOf(schema: Schema, ref: string): unknown {
  if (ref === '#' || ref === '#/') return schema;
  const [, holder = '', name = ''] = /^#\/(\$defs|definitions)\/([^/]+)/.exec(ref) ?? [];
  const named = schema[holder];
  return isSchema(named) ? named[name.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * What differs between two contracts, a line for each field: `+` is new, `-` is gone, `~` has another value.
 * @param before null for a first version, of which everything is new
 */
export function contractDiff(before: object | null, after: object): readonly string[] {
  const [old, now] = [new Map(fieldsOf(before ?? {})), new Map(fieldsOf(after))];
  const fields = [...new Set([...old.keys(), ...now.keys()])].toSorted((a, b) => (a < b ? -1 : 1));
  return fields.flatMap((field) => {
    const [was, is] = [old.get(field), now.get(field)];
    if (was === is) return [];
    if (was === undefined) return [`+ ${field}: ${is}`];
    return is === undefined ? [`- ${field}: ${was}`] : [`~ ${field}: ${was} → ${is}`];
  });
}

/** Each value that is no object, and each empty one, under its path. */
function fieldsOf(value: object, path = ''): readonly (readonly [string, string])[] {
  return Object.entries(value).flatMap(([name, item]: [string, unknown]) => {
    const field = path === '' ? name : `${path}.${name}`;
    const isTree = typeof item === 'object' && item !== null && Object.keys(item).length > 0;
    return isTree ? fieldsOf(item, field) : [[field, JSON.stringify(item)] as const];
  });
}

const mask = '[redacted]';

export interface Edited {
  readonly input: unknown;
  /** Paths of what still has the mask and stood for nothing. */
  readonly left: readonly string[];
}

/**
 * What a person sends back who has seen parameters with masks in them: what is still masked, in its old place, is what it was. A mask in any
 * other place is left, and told.
 */
export function unmasked(given: unknown, original: unknown, shown: unknown): Edited {
  const left: string[] = [];
  const fill = (edited: unknown, { was, seen, path }: Place): unknown => {
    if (edited === mask) {
      if (seen === mask) return was;
      left.push(path);
      return edited;
    }
    const inside = (key: string | number): Place => ({
      was: of(was, key),
      seen: of(seen, key),
      path: path === '' ? `${key}` : `${path}.${key}`,
    });
    if (Array.isArray(edited)) return edited.map((item, index) => fill(item, inside(index)));
    if (typeof edited !== 'object' || edited === null) return edited;
    return Object.fromEntries(Object.entries(edited).map(([key, item]) => [key, fill(item, inside(key))]));
  };
  return { input: fill(given, { was: original, seen: shown, path: '' }), left };
}

interface Place {
  readonly was: unknown;
  readonly seen: unknown;
  readonly path: string;
}

function of(value: unknown, key: string | number): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return Reflect.get(value, key);
}

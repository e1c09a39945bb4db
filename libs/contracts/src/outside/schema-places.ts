// What a `$ref` of a stranger's JSON Schema leads to, wherever it points within the schema: pointers, anchors, ids.
import { isSchema, type ForeignSchema } from '../derive/references.js';

/** Deeper parts of a schema are not read. */
export const mostLevels = 64;
/** A base for addresses that are none, so that `URL` resolves them against each other. */
const nowhere = 'schema:///';

/** Finds the parts of one schema. A reference to a file or a host is never followed. */
export class SchemaPlaces {
  readonly #root: ForeignSchema;
  readonly #byAddress = new Map<string, unknown>();

  constructor(root: ForeignSchema) {
    this.#root = root;
    this.#collect(root, idOf(root, nowhere), 0);
  }

  /** The part that a reference leads to; undefined where it leads nowhere. */
  find(ref: string): unknown {
    if (ref === '' || ref === '#' || ref === '#/') return this.#root;
    const base = idOf(this.#root, nowhere);
    const address = resolved(ref, base);
    const known = this.#byAddress.get(address) ?? this.#byAddress.get(ref);
    if (known !== undefined) return known;
    const [document = '', pointer] = address.split('#', 2);
    const start = document === base ? this.#root : this.#byAddress.get(document);
    return pointer?.startsWith('/') ? at(start, pointer) : undefined;
  }

  /** Ids and anchors, each with the address of the schema that they stand in. */
  #collect(part: unknown, base: string, level: number): void {
    if (level > mostLevels || typeof part !== 'object' || part === null) return;
    const own = isSchema(part) && level > 0 ? idOf(part, base) : base;
    if (isSchema(part)) {
      if (own !== base) this.#byAddress.set(own.replace(/#$/, ''), part);
      // Draft 7 writes an anchor as an `$id` of `#name`.
      for (const name of [part['$anchor'], part['$dynamicAnchor'], part['$id']])
        if (typeof name === 'string' && /^#?[\w.-]+$/.test(name)) this.#byAddress.set(`${own}#${name.replace('#', '')}`, part);
    }
    for (const inner of Object.values(part)) this.#collect(inner, own, level + 1);
  }
}

function idOf(schema: ForeignSchema, base: string): string {
  const id = schema['$id'];
  return typeof id === 'string' && !id.startsWith('#') ? resolved(id, base).replace(/#$/, '') : base;
}

function resolved(ref: string, base: string): string {
  try {
    return new URL(ref, base).href;
  } catch {
    return ref;
  }
}

/** The part at a JSON Pointer (RFC 6901). */
function at(start: unknown, pointer: string): unknown {
  let part = start;
  for (const token of pointer.slice(1).split('/')) {
    const name = unescaped(token).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, name)) return undefined;
    part = Reflect.get(part, name);
  }
  return part;
}

function unescaped(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}

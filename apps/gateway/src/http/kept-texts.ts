import { tagged, type Tagged } from './tagged.js';

/** Memory that an entry takes besides its text and its name. */
const entryBytes = 500;

/**
 * Texts that follow from an object, such as the lists of a catalog: each is made once for as long as the object is the same. When all of
 * them are too large, those go that were asked for longest ago. Nobody asks for the texts of an object that was replaced, so they go too.
 */
export class KeptTexts {
  readonly #ids = new WeakMap<object, number>();
  readonly #kept = new Map<string, Tagged>();
  readonly #mostBytes: number;
  #lastId = 0;
  #bytes = 0;

  constructor(mostBytes = 32 * 1024 * 1024) {
    this.#mostBytes = mostBytes;
  }

  /** @param name which of the texts of this object */
  of(object: object, name: string, make: () => string): Tagged {
    const key = `${this.#idOf(object)} ${name}`;
    const known = this.#kept.get(key);
    const text = known ?? tagged(make());
    // Set again, it is the newest.
    this.#kept.delete(key);
    this.#kept.set(key, text);
    if (!known) this.#bytes += sizeOf(key, text);
    for (const [oldest, it] of this.#kept) {
      if (this.#bytes <= this.#mostBytes) break;
      this.#kept.delete(oldest);
      this.#bytes -= sizeOf(oldest, it);
    }
    return text;
  }

  #idOf(object: object): number {
    const known = this.#ids.get(object) ?? (this.#lastId += 1);
    this.#ids.set(object, known);
    return known;
  }
}

/** A name may be longer than its text: callers choose names, such as the tools that a view has. */
function sizeOf(name: string, { bytes }: Tagged): number {
  return entryBytes + name.length + bytes.length;
}

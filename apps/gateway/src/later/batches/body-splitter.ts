// Cuts the body of a batch into its calls, as it comes.

/**
 * Where one call may not be longer than this, and what stands around `calls` may not either.
 * @limit a tenant: bytes of one call of a batch; PAYLOAD_TOO_LARGE
 */
export const mostPieceBytes = 4 * 1024 * 1024;

/** A piece, or what stands around the pieces, is too long. */
export class PieceTooLong extends Error {
  override readonly name = 'PieceTooLong';
}

export interface BodySplitter {
  /** The calls that end in this part of the body. Throws PieceTooLong. */
  readonly push: (part: Buffer) => readonly Buffer[];
  /** What is left at the end of the body. */
  readonly end: () => readonly Buffer[];
}

const newline = 0x0a;
const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const openers: ReadonlySet<number> = new Set([0x7b, 0x5b]);
const closers: ReadonlySet<number> = new Set([0x7d, 0x5d]);
const listOpener = 0x5b;
/** That the name of a list and the space around it may have. */
const nameBytes = 200;

/** Bytes that come in parts. */
class Gathered {
  #parts: Buffer[] = [];
  #bytes = 0;

  add(part: Buffer): void {
    if (part.length === 0) return;
    this.#bytes += part.length;
    if (this.#bytes > mostPieceBytes) throw new PieceTooLong();
    this.#parts.push(part);
  }

  /** The last bytes, at least so many where there are. */
  tail(bytes: number): Buffer {
    let from = this.#parts.length;
    for (let found = 0; from > 0 && found < bytes; found += this.#parts[from]?.length ?? 0) from--;
    return Buffer.concat(this.#parts.slice(from));
  }

  take(): Buffer {
    const [first = Buffer.alloc(0), ...others] = this.#parts;
    const whole = others.length === 0 ? first : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#bytes = 0;
    return whole;
  }
}

/** The lines of NDJSON. Empty ones are none. */
export class LineSplitter implements BodySplitter {
  readonly #line = new Gathered();

  push(part: Buffer): readonly Buffer[] {
    const lines: Buffer[] = [];
    let from = 0;
    for (let at = part.indexOf(newline); at >= 0; at = part.indexOf(newline, from)) {
      this.#line.add(part.subarray(from, at));
      lines.push(this.#line.take());
      from = at + 1;
    }
    this.#line.add(part.subarray(from));
    return lines.filter(isNotBlank);
  }

  end(): readonly Buffer[] {
    return [this.#line.take()].filter(isNotBlank);
  }
}

/** The items of the list `calls` of a JSON object. What stands around them is in `around`. */
export class ItemSplitter implements BodySplitter {
  readonly #item = new Gathered();
  readonly #around = new Gathered();
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  #isInList = false;
  #items = 0;

  push(part: Buffer): readonly Buffer[] {
    const items: Buffer[] = [];
    let from = 0;
    const take = (at: number): Buffer => {
      this.#item.add(part.subarray(from, at));
      return this.#item.take();
    };
    for (let at = 0; at < part.length; at++) {
      const byte = part[at] ?? 0;
      if (this.#isInText) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === backslash) this.#isEscaped = true;
        else if (byte === quote) this.#isInText = false;
      } else if (byte === quote) this.#isInText = true;
      else if (openers.has(byte)) {
        this.#depth++;
        if (byte === listOpener && this.#depth === 2 && this.#namesCalls(part.subarray(from, at))) {
          this.#around.add(part.subarray(from, at + 1));
          this.#isInList = true;
          from = at + 1;
        }
      } else if (closers.has(byte)) {
        this.#depth--;
        if (!this.#isInList || this.#depth !== 1) continue;
        const last = take(at);
        if (this.#items > 0 || isNotBlank(last)) items.push(last);
        this.#isInList = false;
        from = at;
      } else if (byte === comma && this.#isInList && this.#depth === 2) {
        items.push(take(at));
        this.#items++;
        from = at + 1;
      }
    }
    (this.#isInList ? this.#item : this.#around).add(part.subarray(from));
    return items;
  }

  /** There is nothing: an item that does not end is found in `around`, which is no JSON then. */
  end(): readonly Buffer[] {
    return [];
  }

  /** The body with an empty list of calls. */
  get around(): Buffer {
    return this.#around.take();
  }

  /** Whether the list that begins here is that of the calls. @param before what this part has before it */
  #namesCalls(before: Buffer): boolean {
    const near = Buffer.concat([this.#around.tail(nameBytes), before.subarray(-nameBytes)]);
    return /[{,]\s*"calls"\s*:\s*$/.test(near.toString('latin1'));
  }
}

function isNotBlank(text: Buffer): boolean {
  return text.some((byte) => byte !== 0x20 && byte !== 0x09 && byte !== 0x0d && byte !== newline);
}

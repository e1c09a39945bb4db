/** Text without NUL and without lone surrogates, neither of which Postgres stores in JSON. */
export function sanitizeText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

/** Sanitizes text that comes in pieces. A surrogate pair that a provider has cut in two is put together again. */
export class TextSanitizer {
  #highSurrogate = '';

  /** The piece as it may be passed on; a high surrogate at its end waits for the next piece. */
  push(piece: string): string {
    const joined = this.#highSurrogate + piece;
    const last = joined.charCodeAt(joined.length - 1);
    const isHigh = last >= 0xd800 && last <= 0xdbff;
    this.#highSurrogate = isHigh ? joined.slice(-1) : '';
    return sanitizeText(isHigh ? joined.slice(0, -1) : joined);
  }
}

/**
 * Text that every store takes: no NUL, no half of a surrogate pair. A pair that a provider has cut in two is put together
 * again.
 */
export class WellFormed {
  #half = '';

  static of(text: string): string {
    return text.replaceAll('\0', '').toWellFormed();
  }

  push(piece: string): string {
    const joined = this.#half + piece;
    const last = joined.charCodeAt(joined.length - 1);
    const isHalf = last >= 0xd800 && last <= 0xdbff;
    this.#half = isHalf ? joined.slice(-1) : '';
    return WellFormed.of(isHalf ? joined.slice(0, -1) : joined);
  }
}

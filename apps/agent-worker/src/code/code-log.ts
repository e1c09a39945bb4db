/** The lines that code prints, up to so many characters in all. */
export class CodeLog {
  readonly #most: number;
  readonly #lines: string[] = [];
  #characters = 0;
  #left = 0;

  constructor(mostCharacters: number) {
    this.#most = mostCharacters;
  }

  add(line: string): void {
    // A line without text costs something, too.
    const cost = line.length + 1;
    if (this.#left > 0 || this.#characters + cost > this.#most) {
      this.#left += 1;
      return;
    }
    this.#characters += cost;
    this.#lines.push(line.toWellFormed().replaceAll('\0', ''));
  }

  get lines(): readonly string[] {
    return this.#left === 0 ? this.#lines : [...this.#lines, `… ${this.#left} more lines are left out`];
  }
}

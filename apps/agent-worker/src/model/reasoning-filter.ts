const opening = ['<think>', '<thinking>', '<thought>', '<reasoning>'] as const;

/**
 * Leaves out what a model thinks before it answers. Local models write it into their text, between tags at its beginning; servers that
 * know the model send it apart. Tags further on are part of the answer, which may be about them.
 */
export class ReasoningFilter {
  #held = '';
  /** The tag that ends the thinking; null while none has begun. */
  #closing: string | null = null;
  #hasAnswered: boolean;

  /** @param startsInside the template of the model has written the opening tag already */
  constructor(startsInside: boolean) {
    this.#closing = startsInside ? '</think>' : null;
    this.#hasAnswered = false;
  }

  /** @returns what of the text so far is answer and was not given yet */
  push(piece: string): string {
    if (this.#hasAnswered) return piece;
    this.#held += piece;
    if (this.#closing === null) {
      const begun = this.#held.trimStart();
      const tag = opening.find((one) => begun.toLowerCase().startsWith(one));
      if (tag) {
        this.#closing = tag.replace('<', '</');
        this.#held = begun.slice(tag.length);
      } else if (opening.some((one) => one.startsWith(begun.toLowerCase()))) return '';
      else return this.#answer(this.#held);
    }
    const end = this.#held.toLowerCase().indexOf(this.#closing);
    if (end >= 0) {
      const rest = this.#held.slice(end + this.#closing.length).trimStart();
      // Blank lines between the thinking and the answer belong to neither, and may come in a later piece.
      if (rest === '') return this.#waitForAnswer();
      return this.#answer(rest);
    }
    // The end of the tag may come in the next piece.
    this.#held = this.#held.slice(-this.#closing.length);
    return '';
  }

  /** What was held back and is answer after all: the beginning of a tag that never became one. */
  end(): string {
    return this.#closing === null && !this.#hasAnswered ? this.#answer(this.#held) : '';
  }

  #answer(text: string): string {
    this.#hasAnswered = true;
    this.#held = '';
    return text;
  }

  #waitForAnswer(): string {
    this.#held = this.#closing ?? '';
    return '';
  }
}

/** Names for the sections of one document, each once, in the form that web pages and repositories give them. */
export class Anchors {
  readonly #used = new Map<string, number>();

  of(title: string): string {
    const slug =
      title
        .toLowerCase()
        .replace(/[^\p{L}\p{N}_ -]/gu, '')
        .trim()
        .replaceAll(/\s+/g, '-')
        .slice(0, 80) || 'section';
    const times = this.#used.get(slug) ?? 0;
    this.#used.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  }
}

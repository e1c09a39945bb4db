import { truncate } from '#lib/retrieval';

/** Names for the sections of one document, each different, in the form that web pages and repositories give them. */
export class Anchors {
  readonly #used = new Set<string>();
  /** The number with which the next section of a name is tried. */
  readonly #next = new Map<string, number>();

  /** `How much sleep?` → `how-much-sleep`; a second one of the name gets `-1`, a third one `-2`. */
  of(title: string): string {
    const slug = slugOf(title);
    let anchor = slug;
    let number = this.#next.get(slug) ?? 1;
    for (; this.#used.has(anchor); number += 1) anchor = `${slug}-${number}`;
    this.#next.set(slug, number);
    this.#used.add(anchor);
    return anchor;
  }
}

function slugOf(title: string): string {
  const words = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .trim()
    .replaceAll(/\s+/g, '-');
  return truncate(words, 80) || 'section';
}

import { truncate } from '#lib/retrieval';

/** Names for the sections of one document, each different, in the form that web pages and repositories give them. */
export class Anchors {
  readonly #used = new Set<string>();

  /** `How much sleep?` → `how-much-sleep`; a second one of the name gets `-1`, a third one `-2`. */
  of(title: string): string {
    const slug = slugOf(title);
    let anchor = slug;
    for (let number = 1; this.#used.has(anchor); number += 1) anchor = `${slug}-${number}`;
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

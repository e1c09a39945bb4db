/** How many characters a reader would count: code points, so an emoji or a rare character is one. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** The first so many code points; never half of a surrogate pair. */
export function truncate(text: string, most: number): string {
  if (text.length <= most) return text;
  let units = 0;
  let count = 0;
  for (const character of text) {
    if (count === most) break;
    units += character.length;
    count += 1;
  }
  return text.slice(0, units);
}

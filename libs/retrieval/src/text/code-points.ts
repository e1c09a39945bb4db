/** The number of code points, so that an emoji counts as one character. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** The first UTF-16 units of a text, at most so many. A surrogate pair is never split. */
export function truncateUnits(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
}

/** The first `most` code points of a text. A surrogate pair is never split. */
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

/** The text, or its beginning with `…`, in at most so many characters, and never with half of one. */
export function cutText(text: string, most: number): string {
  return text.length > most
    ? `${text
        .slice(0, most - 1)
        .toWellFormed()
        .replace(/\uFFFD$/, '')}…`
    : text;
}

/** The beginning of a text, cut at a whole character. Many readers take no half of a surrogate pair: those inside become U+FFFD. */
export function cutText(text: string, most: number): string {
  const last = text.length > most ? text.charCodeAt(most - 1) : 0;
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, splitsPair ? most - 1 : most).toWellFormed();
}

/** The text, or its beginning with `…`, in at most so many characters. */
export function withEllipsis(text: string, most: number): string {
  return text.length > most ? `${cutText(text, most - 1)}…` : text;
}

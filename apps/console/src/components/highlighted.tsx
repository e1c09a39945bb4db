/** A text in which words are marked, whatever their case. */
export function Highlighted({ text, words }: { readonly text: string; readonly words: readonly string[] }) {
  const wanted = words.filter((word) => word !== '');
  if (wanted.length === 0) return text;
  // The longest first, so that a word within another does not split it.
  const pattern = wanted
    .toSorted((a, b) => b.length - a.length)
    .map((word) => RegExp.escape(word))
    .join('|');
  const parts = text.split(new RegExp(`(${pattern})`, 'giu'));
  // Parts have no identity but their place; every second one is a match.
  // oxlint-disable-next-line react/no-array-index-key
  return parts.map((part, index) => (index % 2 === 1 ? <mark key={index}>{part}</mark> : part));
}

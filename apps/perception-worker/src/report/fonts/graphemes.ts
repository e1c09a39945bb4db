const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });
const drawsNothing = /^[\s\p{Default_Ignorable_Code_Point}]$/u;

/** What a reader takes for one character: a letter with its marks, an emoji with its parts. */
export function graphemesOf(text: string): string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** The characters of it that leave a mark on the page: not spaces, joiners and directions. */
export function visibleIn(grapheme: string): readonly number[] {
  return Array.from(grapheme).flatMap((character) => (drawsNothing.test(character) ? [] : [character.codePointAt(0) ?? 0]));
}

const segmenter = new Intl.Segmenter('zh', { granularity: 'sentence' });

/** The sentences of a text, each a stretch of it with nothing lost between them. Lines end sentences. */
export function sentences(text: string): readonly { readonly text: string; readonly start: number }[] {
  return [...segmenter.segment(text)].map(({ segment, index }) => ({ text: segment, start: index }));
}

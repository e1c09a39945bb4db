const segmenter = new Intl.Segmenter('zh', { granularity: 'sentence' });

/** The sentences of a text with their offsets. Joined, they are the text again. A line break ends a sentence. */
export function sentences(text: string): readonly { readonly text: string; readonly start: number }[] {
  return [...segmenter.segment(text)].map(({ segment, index }) => ({ text: segment, start: index }));
}

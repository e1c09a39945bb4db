// What runs in the processes for texts: all work whose time the text decides.
import { memotreeLimits as limits } from '#lib/contracts';
import { codePoints } from '#lib/retrieval';
import { writePage, type PageParts } from '../markdown/front-matter.js';
import { outlineOf, type OutlineNode } from '../markdown/outline.js';
import { Rejection } from '../rejection.js';
import { previewOf, type Preview, type PreviewedNode } from '../search/preview.js';
import { mergeText } from './update-text.js';

/** A result, or why there is none, for whoever wrote the text. */
export type Attempted<Result> = { readonly value: Result } | { readonly refused: string };

export interface Merge {
  /** Merges of one text are made on each other, in order. */
  readonly textId: string;
  /** The text before the first merge of this id; later ones are ignored. */
  readonly present: string;
  readonly given: string;
}

export interface Merged {
  readonly present: string;
  readonly text: Attempted<string>;
}

export const textWork = {
  outline: ({ files, headings }: { files: Parameters<typeof outlineOf>[0]; headings: boolean }): Attempted<readonly OutlineNode[]> =>
    attempt(() => outlineOf(files, headings)),

  merge: (merges: readonly Merge[]): readonly Merged[] => {
    const texts = new Map<string, string>();
    return merges.map(({ textId, present: first, given }) => {
      const present = texts.get(textId) ?? first;
      const text = attempt(() => mergeText(present, given));
      // One that is too long is refused, and the next one finds what was there before.
      if ('value' in text && codePoints(text.value) <= limits.contentChars) texts.set(textId, text.value);
      return { present, text };
    });
  },

  previews: ({ nodes, query, length }: { nodes: readonly PreviewedNode[]; query: string; length: number }): readonly Preview[] =>
    nodes.map((node) => previewOf(node, { query, length })),

  pages: (pages: readonly PageParts[]): readonly string[] => pages.map(writePage),
};

function attempt<Result>(work: () => Result): Attempted<Result> {
  try {
    return { value: work() };
  } catch (error) {
    if (error instanceof Rejection) return { refused: error.message };
    // Emphasis and links inside of each other, deeper than the stack.
    if (error instanceof RangeError) return { refused: 'The Markdown is nested too deep to be read' };
    throw error;
  }
}

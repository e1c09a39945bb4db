import { isRightToLeft } from '../direction.js';
import { textOf, type InlineRun } from '../inline.js';
import { breakWords } from './break-words.js';

/** Typst refuses longer ones. */
const maxLink = 8_000;

export interface LineBreak {
  readonly line: true;
}

export interface SetRun extends Omit<InlineRun, 'text'> {
  /** A line may end between two of them. */
  readonly pieces: readonly string[];
}

/** A text as the template sets it. */
export interface SetText {
  readonly runs: readonly (LineBreak | SetRun)[];
  readonly dir: 'ltr' | 'rtl';
}

/** @param letters how many fit into a line; longer words are broken */
export function setText(runs: readonly InlineRun[], letters: number): SetText {
  return {
    runs: runs.map(({ text, link, ...style }) =>
      text === '\n'
        ? { line: true }
        : { ...style, ...(link && link.length <= maxLink && { link }), pieces: breakWords(withoutTabs(text), letters) },
    ),
    dir: directionOf(textOf(runs)),
  };
}

export function withoutTabs(text: string): string {
  return text.replaceAll('\t', '    ');
}

export function directionOf(text: string): 'ltr' | 'rtl' {
  return isRightToLeft(text) ? 'rtl' : 'ltr';
}

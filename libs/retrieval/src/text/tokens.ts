import { stemmer } from 'stemmer';
import { truncateUnits } from './code-points.js';
import { fold } from './fold.js';
import { chineseFillers, stopWords } from './stop-words.js';

/**
 * `word` a stemmed word · `code` an identifier as it is written (`payouts_enabled`, `v2.1.0`) · `pair` two neighbouring Chinese
 * characters of one word · `joint` two that meet where words meet · `long` a Chinese word of three or more · `single` of one.
 */
export type TokenKind = 'word' | 'code' | 'pair' | 'joint' | 'long' | 'single';

export interface Token {
  readonly term: string;
  readonly kind: TokenKind;
  /** Offsets in the original text, in UTF-16 units, end exclusive. */
  readonly start: number;
  readonly end: number;
}

// Created once, since that takes milliseconds. It has a dictionary of Chinese words and splits other scripts by Unicode's rules.
const segmenter = new Intl.Segmenter('zh', { granularity: 'word' });
const han = /^[\p{Script=Han}々〆]+$/u;
const longestTerm = 64;

interface HanRun {
  readonly words: { readonly text: string; readonly start: number }[];
}

/** The terms of a text with their offsets. Texts and questions are analysed in the same way. Stop words are left out. */
export function* tokens(text: string): Generator<Token> {
  let run: HanRun = { words: [] };
  for (const { segment, index, isWordLike } of segmenter.segment(text)) {
    if (isWordLike && han.test(segment)) {
      run.words.push({ text: segment, start: index });
      continue;
    }
    yield* ofHanRun(run);
    run = { words: [] };
    if (isWordLike) yield* ofWord(segment, index);
  }
  yield* ofHanRun(run);
}

function* ofWord(segment: string, start: number): Generator<Token> {
  const end = start + segment.length;
  const folded = truncateUnits(fold(segment).replace(/'s$/, ''), longestTerm);
  if (/[_.\d]/.test(folded) && /[\p{L}_]/u.test(folded)) {
    yield { term: folded, kind: 'code', start, end };
    for (const part of folded.split(/[_.]+/)) if (part !== folded && /\p{L}{2}/u.test(part)) yield* plainWord(part, start, end);
    return;
  }
  yield* plainWord(folded, start, end);
}

function* plainWord(word: string, start: number, end: number): Generator<Token> {
  if (word === '' || stopWords.has(word)) return;
  yield { term: /^[a-z']+$/.test(word) ? stemmer(word.replaceAll("'", '')) : word, kind: 'word', start, end };
}

/** Pairs of neighbouring characters, also across words. So a word that the dictionary does not know is found by its pairs. */
function* ofHanRun({ words }: HanRun): Generator<Token> {
  const [first] = words;
  if (!first) return;
  const characters: { text: string; start: number; word: number }[] = [];
  for (const [number, { text, start }] of words.entries()) {
    const own = Array.from(fold(text));
    let at = start;
    for (const character of own) {
      characters.push({ text: character, start: at, word: number });
      at += character.length;
    }
    const end = start + text.length;
    const whole = own.join('');
    if (own.length === 1 && !stopWords.has(whole)) yield { term: whole, kind: 'single', start, end };
    if (own.length >= 3 && !chineseFillers.has(whole)) yield { term: whole, kind: 'long', start, end };
  }
  for (const [place, left] of characters.entries()) {
    const right = characters[place + 1];
    if (!right) break;
    const term = left.text + right.text;
    if (chineseFillers.has(term) || (stopWords.has(left.text) && stopWords.has(right.text))) continue;
    yield { term, kind: left.word === right.word ? 'pair' : 'joint', start: left.start, end: right.start + right.text.length };
  }
}

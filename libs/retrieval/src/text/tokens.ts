import { stemmer } from 'stemmer';
import { truncateUnits } from './code-points.js';
import { simplify } from './chinese.js';
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

/** The most parts of a word with hyphens. */
const mostParts = 4;
const blank = /^\s+$/;
const isHyphen = (segment: string): boolean => /^[-\u2010\u2011\u00ad]$/.test(segment);

interface Compound {
  readonly parts: { readonly text: string; readonly start: number }[];
  /** Where the next part has to begin. */
  end: number;
}

interface HanRun {
  readonly words: { readonly text: string; readonly start: number }[];
  /** Spaces behind the last word. */
  gap: string;
}

/** Whether a word may go on after spaces: at the end of a line, and in a scan, which has spaces between its characters. */
function isOneWord({ words, gap }: HanRun, next: string): boolean {
  return gap === '' || /^[^\n]*\n[^\n]*$/.test(gap) || (words.at(-1)?.text.length === 1 && next.length === 1);
}

/**
 * The terms of a text with their offsets. Texts and questions are analysed in the same way. Stop words are left out. A word is found
 * however it is written: `资 料 库` as `資料庫`, `e-mail` as `email`, `read_file` and `readFile` by `read file`.
 */
export function* tokens(text: string): Generator<Token> {
  let run: HanRun = { words: [], gap: '' };
  let compound: Compound = { parts: [], end: -1 };
  for (const { segment, index, isWordLike } of segmenter.segment(simplify(text))) {
    if (isWordLike && han.test(segment)) {
      if (!isOneWord(run, segment)) {
        yield* ofHanRun(run);
        run = { words: [], gap: '' };
      }
      run.words.push({ text: segment, start: index });
      run.gap = '';
      continue;
    }
    if (blank.test(segment) && run.words.length > 0) {
      run.gap = segment;
      continue;
    }
    yield* ofHanRun(run);
    run = { words: [], gap: '' };
    if (isWordLike) {
      yield* ofWord(segment, index);
      if (index !== compound.end) {
        yield* ofCompound(compound);
        compound = { parts: [], end: -1 };
      }
      compound.parts.push({ text: segment, start: index });
      compound.end = index + segment.length;
    } else if (isHyphen(segment) && index === compound.end) compound.end += segment.length;
  }
  yield* ofHanRun(run);
  yield* ofCompound(compound);
}

/** The whole of a word with hyphens in it. Numbers, such as those of a date, are no word. */
function* ofCompound({ parts }: Compound): Generator<Token> {
  const [first, last] = [parts[0], parts.at(-1)];
  if (!first || !last || first === last || parts.length > mostParts) return;
  const joined = fold(parts.map(({ text }) => text).join(''));
  if (/^[\p{Script=Latin}']+$/u.test(joined))
    yield* plainWord(truncateUnits(joined, longestTerm), first.start, last.start + last.text.length);
}

function* ofWord(segment: string, start: number): Generator<Token> {
  const end = start + segment.length;
  const folded = truncateUnits(fold(segment).replace(/'s$/, ''), longestTerm);
  if (/[_.\d]/.test(folded) && /[\p{L}_]/u.test(folded)) {
    yield { term: folded, kind: 'code', start, end };
    for (const part of partsOf(segment)) if (part !== folded && /\p{L}{2}/u.test(part)) yield* plainWord(part, start, end);
    return;
  }
  yield* plainWord(folded, start, end);
  for (const part of partsOf(segment)) if (part !== folded && part.length > 1) yield* plainWord(part, start, end);
}

/** The words of an identifier: `read_file`, `v2.time`, `readFile`, `HTTPServer`. */
function partsOf(segment: string): readonly string[] {
  const words = segment.replace(/(\p{Ll})(\p{Lu})|(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1$3_$2$4');
  return fold(words)
    .split(/[_.]+/)
    .map((part) => truncateUnits(part, longestTerm));
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

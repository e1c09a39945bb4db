import { displayWidth } from '../display-width.js';
import { graphemesOf } from '../fonts/graphemes.js';

/** Between two characters of these scripts a line may end anyway, as it may at a space. */
const words =
  /[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
/** Scripts of words whose letters join: apart, they would be drawn otherwise. They are cut where nothing else helps, at four times the width. */
const joining =
  /[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}]/u;
/** Pieces of a line. More would fill it better, and take longer. */
const piecesPerLine = 12;

/**
 * Cuts a text where a line may end although no word does: inside of words that are wider than `letters`, such as addresses.
 * @returns the pieces in order; together they are the text
 */
export function breakWords(text: string, letters: number): string[] {
  const pieces: string[] = [];
  let at = 0;
  for (const { index, 0: word } of text.matchAll(words)) {
    if (displayWidth(word) <= (joining.test(word) ? letters * 4 : letters)) continue;
    if (index > at) pieces.push(text.slice(at, index));
    const graphemes = graphemesOf(word);
    const size = Math.max(1, Math.floor(letters / piecesPerLine));
    for (let start = 0; start < graphemes.length; start += size) pieces.push(graphemes.slice(start, start + size).join(''));
    at = index + word.length;
  }
  if (at < text.length) pieces.push(text.slice(at));
  return pieces;
}

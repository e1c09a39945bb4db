import { codePoints } from '#lib/retrieval';
import type { NewSection } from '../document.js';

/** Longer sections are split, so that a hit is close to the answer. */
const maxCodePoints = 1_200;

/** Splits a section into parts of at most 1,200 code points: between paragraphs, else between sentences, else anywhere. Each part keeps title and anchor. */
export function splitLong(section: NewSection): readonly NewSection[] {
  if (section.content.length <= maxCodePoints) return [section];
  const parts: string[] = [];
  let part = '';
  for (const piece of pieces(section.content)) {
    if (part !== '' && codePoints(part) + codePoints(piece) > maxCodePoints) {
      parts.push(part);
      part = '';
    }
    part += piece;
  }
  if (part.trim() !== '') parts.push(part);
  return parts.map((content) => ({ ...section, content: content.trim() }));
}

function* pieces(text: string): Generator<string> {
  for (const paragraph of text.split(/(?<=\n\n)/)) {
    if (paragraph.length <= maxCodePoints) yield paragraph;
    else for (const sentence of paragraph.split(/(?<=[。！？!?\n]|\. )/)) yield* slices(sentence);
  }
}

function* slices(text: string): Generator<string> {
  if (text.length <= maxCodePoints) return yield text;
  const characters = Array.from(text);
  for (let at = 0; at < characters.length; at += maxCodePoints) yield characters.slice(at, at + maxCodePoints).join('');
}

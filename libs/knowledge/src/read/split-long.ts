import { codePoints } from '#lib/retrieval';
import type { NewSection } from '../document.js';

/** Longer sections are cut, so that what is found is what answers. */
const maxCodePoints = 1_200;

/** The section in parts of at most 1,200 code points, cut between paragraphs, else sentences. Each keeps title and anchor. */
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

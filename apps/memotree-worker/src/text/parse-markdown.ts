import type { Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { frontmatterFromMarkdown } from 'mdast-util-frontmatter';
import { frontmatter } from 'micromark-extension-frontmatter';
import { Rejection } from '../rejection.js';

/** Lines that may underline a heading. A text with more of them has no underlined headings: see `parseMarkdown`. */
export const maxUnderlines = 100;

/** Lists and quotations inside of each other. For each level the parser copies what it has read: 16 kB of `- ` take over a minute. */
export const maxNesting = 100;

const marker = /[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t\r]|$))/y;
const underline = /^ {0,3}(?:=+|-+)[ \t]*$/gm;
const withoutUnderlines = { disable: { null: ['setextUnderline'] } };

/**
 * The syntax tree of CommonMark with YAML front matter.
 *
 * For each underlined heading the parser copies all events before it, so its time grows with the square of their number: 40 kB of
 * them take half a minute. A text with more than `maxUnderlines` such lines is therefore read
 * without underlined headings; headings with `#` are read in any number.
 * Other texts can make it slow too, so it runs in the process of `texts.ts` alone.
 * @throws Rejection INVALID_PARAMS for lists and quotations more than `maxNesting` deep
 */
export function parseMarkdown(markdown: string): Root {
  const depth = nestingOf(markdown);
  if (depth > maxNesting)
    throw new Rejection('INVALID_PARAMS', `The Markdown has lists or quotations ${depth} deep; at most ${maxNesting} are read`);
  const tooMany = [...markdown.matchAll(underline)].length > maxUnderlines;
  return fromMarkdown(markdown, {
    extensions: [frontmatter(['yaml']), ...(tooMany ? [withoutUnderlines] : [])],
    mdastExtensions: [frontmatterFromMarkdown(['yaml'])],
  });
}

/** How deep the markers of lists and quotations enclose each other, by their columns; at least as deep as the parser would find. */
function nestingOf(markdown: string): number {
  let deepest = 0;
  let open: number[] = [];
  for (const line of markdown.split('\n')) {
    marker.lastIndex = 0;
    for (let match = marker.exec(line), first = true; match; match = marker.exec(line), first = false) {
      const column = marker.lastIndex - match[0].trimStart().length;
      if (first) open = open.filter((one) => one < column);
      open.push(column);
    }
    deepest = Math.max(deepest, open.length);
  }
  return deepest;
}

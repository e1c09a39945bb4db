import type { Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { frontmatterFromMarkdown } from 'mdast-util-frontmatter';
import { frontmatter } from 'micromark-extension-frontmatter';

/** Lines that may underline a heading. A text with more of them has no underlined headings: see `parseMarkdown`. */
export const maxUnderlines = 100;

const underline = /^ {0,3}(?:=+|-+)[ \t]*$/gm;
const withoutUnderlines = { disable: { null: ['setextUnderline'] } };

/**
 * The syntax tree of CommonMark with YAML front matter.
 *
 * For each underlined heading the parser copies all events before it, so its time grows with the square of their number: 40 kB of
 * them take half a minute, during which the worker answers nobody. A text with more than `maxUnderlines` such lines is therefore read
 * without underlined headings; headings with `#` are read in any number.
 */
export function parseMarkdown(markdown: string): Root {
  const tooMany = [...markdown.matchAll(underline)].length > maxUnderlines;
  return fromMarkdown(markdown, {
    extensions: [frontmatter(['yaml']), ...(tooMany ? [withoutUnderlines] : [])],
    mdastExtensions: [frontmatterFromMarkdown(['yaml'])],
  });
}

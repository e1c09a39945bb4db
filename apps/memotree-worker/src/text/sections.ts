import { toString } from 'mdast-util-to-string';
import { parseMarkdown } from './parse-markdown.js';

/** A heading and the text below it, up to the next heading of any depth. */
export interface Section {
  readonly depth: number;
  readonly heading: string;
  /** The headings that enclose it and its own, outermost first. */
  readonly path: readonly string[];
  /** From the heading on, as it is written there. */
  readonly text: string;
}

export interface Sections {
  /** The text before the first heading. */
  readonly preamble: string;
  readonly sections: readonly Section[];
}

/** False only for a text without headings. In proportion to the text, whatever it is. */
export function hasHeadings(markdown: string): boolean {
  return /^ {0,3}#|^ {0,3}(=+|-+)[ \t]*$/m.test(markdown);
}

/**
 * Splits a text at its top-level headings; a `#` in a code block, a quotation or a list is not one. The preamble and the sections'
 * texts in order are the whole text, to the byte.
 */
export function sectionsOf(markdown: string): Sections {
  // Parsing takes about 1 ms per kB, and most texts have no headings.
  if (!hasHeadings(markdown)) return { preamble: markdown, sections: [] };
  const headings = parseMarkdown(markdown).children.flatMap((node) =>
    node.type === 'heading' ? [{ depth: node.depth, heading: toString(node).trim(), start: node.position?.start.offset ?? 0 }] : [],
  );
  const above: { depth: number; heading: string }[] = [];
  const sections = headings.map(({ depth, heading, start }, index) => {
    while ((above.at(-1)?.depth ?? 0) >= depth) above.pop();
    above.push({ depth, heading });
    return { depth, heading, path: above.map((one) => one.heading), text: markdown.slice(start, headings[index + 1]?.start) };
  });
  return { preamble: markdown.slice(0, headings[0]?.start), sections };
}

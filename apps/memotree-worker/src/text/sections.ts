import { fromMarkdown } from 'mdast-util-from-markdown';
import { frontmatterFromMarkdown } from 'mdast-util-frontmatter';
import { toString } from 'mdast-util-to-string';
import { frontmatter } from 'micromark-extension-frontmatter';

/** A heading with what stands under it up to the next heading of any depth. The slices of a text make up the text again. */
export interface Section {
  readonly depth: number;
  readonly heading: string;
  /** The headings above it and its own, outermost first. */
  readonly path: readonly string[];
  readonly text: string;
}

export interface Sections {
  /** What stands before the first heading. */
  readonly preamble: string;
  readonly sections: readonly Section[];
}

/** Reads real headings only: a `#` in a code block, a quotation or a list is none. */
export function sectionsOf(markdown: string): Sections {
  // Parsing takes a millisecond a kilobyte or so, and most texts need none.
  if (!/^ {0,3}#|^ {0,3}(=+|-+)[ \t]*$/m.test(markdown)) return { preamble: markdown, sections: [] };
  const tree = fromMarkdown(markdown, { extensions: [frontmatter(['yaml'])], mdastExtensions: [frontmatterFromMarkdown(['yaml'])] });
  const headings = tree.children.flatMap((node) =>
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

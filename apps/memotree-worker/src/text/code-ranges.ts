import { parseMarkdown } from './parse-markdown.js';

interface Range {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

interface Point {
  readonly offset?: number | undefined;
}

interface MarkdownNode {
  readonly type: string;
  readonly children?: readonly MarkdownNode[];
  readonly position?: { readonly start: Point; readonly end: Point } | undefined;
}

/** The ranges of a Markdown text that are code, fenced, indented or inline, in order. */
export function codeRanges(markdown: string): readonly Range[] {
  // Parsing takes about 1 ms per kB, and most texts contain no code.
  if (!/`|~~~|^(?: {4}|\t)/m.test(markdown)) return [];
  return codeBelow(parseMarkdown(markdown));
}

function codeBelow({ type, position, children = [] }: MarkdownNode): readonly Range[] {
  const [start, end] = [position?.start.offset, position?.end.offset];
  if ((type === 'code' || type === 'inlineCode') && start !== undefined && end !== undefined) return [{ start, end }];
  return children.flatMap(codeBelow);
}

import { fromMarkdown } from 'mdast-util-from-markdown';

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

/** Where a Markdown text is code, in blocks or in a line. */
export function codeRanges(markdown: string): readonly Range[] {
  // Parsing takes a millisecond a kilobyte or so, and most texts hold no code.
  if (!/`|~~~|^(?: {4}|\t)/m.test(markdown)) return [];
  return codeBelow(fromMarkdown(markdown));
}

function codeBelow({ type, position, children = [] }: MarkdownNode): readonly Range[] {
  const [start, end] = [position?.start.offset, position?.end.offset];
  if ((type === 'code' || type === 'inlineCode') && start !== undefined && end !== undefined) return [{ start, end }];
  return children.flatMap(codeBelow);
}

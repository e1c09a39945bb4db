import type { PhrasingContent } from 'mdast';

/** A piece of text with its style. The PDF and DOCX renderers write from these. */
export interface InlineRun {
  readonly text: string;
  readonly bold?: boolean;
  readonly strike?: boolean;
  readonly code?: boolean;
  readonly emphasis?: boolean;
  readonly raised?: boolean;
  readonly link?: string;
}

/** The runs of inline Markdown. A hard line break is a run whose text is one newline; a soft one is a space. */
export function runsOf(nodes: readonly PhrasingContent[], style: Omit<InlineRun, 'text'> = {}): InlineRun[] {
  return nodes.flatMap((node): InlineRun[] => {
    switch (node.type) {
      case 'text':
        // A soft break is a space to the reader.
        return [{ ...style, text: node.value.replace(/\s*\n\s*/g, ' ') }];
      case 'inlineCode':
        return [{ ...style, text: node.value, code: true }];
      case 'break':
        return [{ text: '\n' }];
      case 'strong':
        return runsOf(node.children, { ...style, bold: true });
      case 'emphasis':
        return runsOf(node.children, { ...style, emphasis: true });
      case 'delete':
        return runsOf(node.children, { ...style, strike: true });
      case 'link':
        return runsOf(node.children, { ...style, link: node.url });
      case 'footnoteReference':
        return [{ ...style, text: `[${node.label ?? node.identifier}]`, raised: true }];
      default:
        return [];
    }
  });
}

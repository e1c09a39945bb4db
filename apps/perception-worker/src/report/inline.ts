import type { PhrasingContent } from 'mdast';

/** A piece of text with how it is set; both page renderers write from these. */
export interface InlineRun {
  readonly text: string;
  readonly bold?: boolean;
  readonly strike?: boolean;
  readonly code?: boolean;
  readonly emphasis?: boolean;
  readonly raised?: boolean;
  readonly link?: string;
}

/** A line break is a run of its own whose text is one newline. */
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

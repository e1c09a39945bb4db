import type { PhrasingContent } from 'mdast';

const spaceless = '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\u3000-\\u303f\\uff01-\\uff60]';
const betweenCharacters = new RegExp(`(?<=${spaceless})\\n(?=${spaceless})`, 'gu');

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
        return [{ ...style, text: withoutSoftBreaks(node.value) }];
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

export function textOf(runs: readonly InlineRun[]): string {
  return runs.map(({ text }) => text).join('');
}

/** A soft break is a space to the reader, and nothing between two characters of a script without spaces. */
function withoutSoftBreaks(text: string): string {
  return text
    .replace(/[^\S\n]*\n\s*/g, '\n')
    .replace(betweenCharacters, '')
    .replaceAll('\n', ' ');
}

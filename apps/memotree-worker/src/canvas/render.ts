import type { LodLevel } from '#lib/contracts';
import type { Fitted } from './fit-to-budget.js';
import { walkShown, type ShownNode } from './layout.js';

interface Rendered {
  readonly markdown: string;
  readonly expandedNodes: number;
  readonly shownNodes: number;
}

interface ShownTexts {
  readonly textOf: (shown: ShownNode, level: LodLevel) => string;
  readonly childCountOf: (nodeId: string) => number;
}

/** Renders a view as a nested list: `- Title [id] (+1200 chars)`, below it the text of the node, then its children. */
export function renderCanvas(top: ShownNode, { levels, listed }: Fitted, { textOf, childCountOf }: ShownTexts): Rendered {
  const lines: string[] = [];
  let chars = 0;
  let expandedNodes = 0;
  for (const shown of walkShown(top)) {
    const { nodeId, title, detailChars, type, tags } = shown.node;
    if (!listed.has(nodeId)) continue;
    const level = levels.get(nodeId) ?? 'Title';
    const text = level === 'Title' ? '' : textOf(shown, level);
    chars += title.length + text.length;
    if (shown.expanded) expandedNodes += 1;
    const leftOut = childCountOf(nodeId) - shown.children.filter((child) => listed.has(child.node.nodeId)).length;
    const folded = [
      ...(level !== 'Detail' && detailChars > text.length ? [`+${detailChars - text.length} chars`] : []),
      ...(leftOut > 0 ? [`+${leftOut} ${leftOut === 1 ? 'child' : 'children'}`] : []),
    ];
    const facts = [
      type === 'Concept' ? '' : ` ${type}`,
      ...tags.map((tag) => ` #${tag}`),
      folded.length > 0 ? ` (${folded.join(', ')})` : '',
    ].join('');
    const indent = '  '.repeat(Math.max(0, shown.depth - 1));
    if (shown.depth > 0) lines.push(`${indent}- ${oneLine(title) || '(untitled)'} [${nodeId}]${facts}`);
    const margin = shown.depth > 0 ? `${indent}  ` : '';
    if (text !== '')
      lines.push(
        ...text
          .trimEnd()
          .split('\n')
          .map((line) => (line === '' ? '' : margin + line)),
      );
  }
  const head = `# ${oneLine(top.node.title) || 'MemoTree'} [${top.node.nodeId}] (${expandedNodes}/${listed.size} nodes expanded, ${thousands(chars)} chars)`;
  return { markdown: `${[head, ...lines].join('\n')}\n`, expandedNodes, shownNodes: listed.size };
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** 950 → `950`, 1200 → `1.2K`. */
function thousands(count: number): string {
  return count < 1_000 ? String(count) : `${(count / 1_000).toFixed(1)}K`;
}

import { highlight, truncate } from '#lib/retrieval';
import type { LodLevel } from '#lib/contracts';
import type { NodeVersion } from '../store/node-state.js';

/** Only this many characters of a text are searched for a passage. */
const maxSourceChars = 50_000;

export interface Preview {
  readonly level: LodLevel;
  readonly preview: string;
  readonly highlightedTerms: string[];
}

/** What a preview is made of; a layer that the node does not have is empty. */
export interface PreviewedNode {
  readonly title: string;
  readonly detail: string;
  readonly summary: string;
  readonly brief: string;
}

/** @param texts the layers of the node by their hashes */
export function previewedNode(node: NodeVersion, texts: ReadonlyMap<string, string>): PreviewedNode {
  const layer = (hash: string | null): string => (texts.get(hash ?? '') ?? '').slice(0, maxSourceChars);
  return { title: node.title, detail: layer(node.detailHash), summary: layer(node.summaryHash), brief: layer(node.briefHash) };
}

/** The length of all their texts together. */
export function charsOf(nodes: readonly PreviewedNode[]): number {
  return nodes.reduce((sum, { title, detail, summary, brief }) => sum + title.length + detail.length + summary.length + brief.length, 0);
}

/** The passage around the match, of the first layer that matches: content, summary, brief, else the title (MT-42, MT-43). */
export function previewOf(
  { title, detail, summary, brief }: PreviewedNode,
  { query, length }: { readonly query: string; readonly length: number },
): Preview {
  const inTitle = highlight(title, query, title.length + 1).matches;
  const layers = [
    { level: 'Detail', text: detail },
    { level: 'Summary', text: summary },
    { level: 'Brief', text: brief },
  ] as const;
  for (const { level, text } of layers) {
    if (text === '') continue;
    const { snippet, matches } = highlight(text, query, Math.max(1, length));
    if (matches.length > 0) return { level, preview: truncate(snippet, length), highlightedTerms: [...new Set([...matches, ...inTitle])] };
  }
  const stands = detail === '' || inTitle.length > 0 ? title : detail;
  return {
    level: inTitle.length > 0 || detail === '' ? 'Title' : 'Detail',
    preview: truncate(stands, length),
    highlightedTerms: [...inTitle],
  };
}

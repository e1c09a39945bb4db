import { highlight, truncate } from '#lib/retrieval';
import type { LodLevel } from '#lib/contracts';
import type { NodeVersion } from '../store/node-state.js';

/** Only this many characters of a text are searched for a passage. */
const maxSourceChars = 50_000;

interface Preview {
  readonly level: LodLevel;
  readonly preview: string;
  readonly highlightedTerms: string[];
}

/** The passage around the match, of the first layer that matches: content, summary, brief, else the title (MT-42, MT-43). */
export function previewOf(
  node: NodeVersion,
  texts: ReadonlyMap<string, string>,
  { query, length }: { readonly query: string; readonly length: number },
): Preview {
  const inTitle = highlight(node.title, query, node.title.length + 1).matches;
  const layers = [
    { level: 'Detail', hash: node.detailHash },
    { level: 'Summary', hash: node.summaryHash },
    { level: 'Brief', hash: node.briefHash },
  ] as const;
  for (const { level, hash } of layers) {
    const text = (texts.get(hash ?? '') ?? '').slice(0, maxSourceChars);
    if (text === '') continue;
    const { snippet, matches } = highlight(text, query, Math.max(1, length));
    if (matches.length > 0) return { level, preview: truncate(snippet, length), highlightedTerms: [...new Set([...matches, ...inTitle])] };
  }
  const content = texts.get(node.detailHash) ?? '';
  const stands = content === '' || inTitle.length > 0 ? node.title : content;
  return {
    level: inTitle.length > 0 || content === '' ? 'Title' : 'Detail',
    preview: truncate(stands, length),
    highlightedTerms: [...inTitle],
  };
}

// Reads Markdown into a tree of text only: whatever could load, run or embed something becomes words.
import type { Nodes, Parent, PhrasingContent, Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { TooComplex } from './report.js';

const maxDepth = 40;
/** Parts of the syntax tree; more would take minutes to lay out. */
const maxNodes = 60_000;
const safeAddress = /^(https?:\/\/|mailto:)/i;

/** Parses GitHub-flavoured Markdown and neutralises it. @throws TooComplex beyond the depth or number of parts that a report may have */
export function readMarkdown(content: string): Root {
  const root = fromMarkdown(content, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  const addresses = new Map<string, string>();
  let nodes = 0;
  const measure = (node: Nodes, depth: number): void => {
    nodes += 1;
    if (depth > maxDepth) throw new TooComplex(`The Markdown is nested more than ${maxDepth} deep`);
    if (nodes > maxNodes) throw new TooComplex(`The Markdown has more than ${maxNodes} parts`);
    if (node.type === 'definition') addresses.set(node.identifier, node.url);
    if ('children' in node) for (const child of node.children) measure(child, depth + 1);
  };
  measure(root, 0);
  neutralise(root, addresses);
  return root;
}

/** Replaces unsafe nodes below a parent, children first. */
function neutralise(parent: Parent, addresses: ReadonlyMap<string, string>): void {
  parent.children = parent.children.flatMap((node) => {
    if ('children' in node) neutralise(node, addresses);
    return neutralNodes(node, addresses);
  });
}

function neutralNodes(node: Parent['children'][number], addresses: ReadonlyMap<string, string>): Parent['children'] {
  switch (node.type) {
    case 'html':
      // `<br>` is the only element without a Markdown form inside of tables.
      return /^<br\s*\/?>$/i.test(node.value) ? [{ type: 'break' }] : [{ type: 'text', value: node.value }];
    case 'image':
      return imageText(node.alt, node.url);
    case 'imageReference':
      return imageText(node.alt, addresses.get(node.identifier) ?? '');
    case 'link':
      return safeAddress.test(node.url) ? [node] : node.children;
    case 'linkReference': {
      const url = addresses.get(node.identifier) ?? '';
      return safeAddress.test(url) ? [{ type: 'link', url, children: node.children }] : node.children;
    }
    case 'definition':
    case 'yaml':
      return [];
    default:
      return [node];
  }
}

/** Images are not loaded. The reader sees the alternative text, with a link if the address is safe. */
function imageText(alt: string | null | undefined, url: string): PhrasingContent[] {
  const value = `[image${alt ? `: ${alt}` : ''}]`;
  return safeAddress.test(url) ? [{ type: 'link', url, children: [{ type: 'text', value }] }] : [{ type: 'text', value }];
}

/** Every character of a tree, each once, for subsetting the fonts. */
export function charactersOf(node: Nodes): string {
  const found = new Set<string>();
  const look = (one: Nodes): void => {
    const text = 'value' in one ? one.value : 'label' in one ? (one.label ?? '') : '';
    for (const character of text) found.add(character);
    if ('children' in one) for (const child of one.children) look(child);
  };
  look(node);
  return [...found].join('');
}

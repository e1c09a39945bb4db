// A report as a flat list of what stands below each other on its pages.
import type { BlockContent, DefinitionContent, List, Root, RootContent, Table } from 'mdast';
import { runsOf, type InlineRun } from '../inline.js';

/** Where a block stands: how deep in lists and in quotations, and what stands before it. */
export interface Place {
  readonly lists: number;
  readonly quotes: number;
  /** Of the first block of an item. */
  readonly marker?: string;
}

export type Block = Place &
  (
    | { readonly kind: 'paragraph'; readonly runs: readonly InlineRun[] }
    | { readonly kind: 'heading'; readonly depth: number; readonly runs: readonly InlineRun[] }
    | { readonly kind: 'code'; readonly text: string }
    | { readonly kind: 'table'; readonly rows: readonly (readonly (readonly InlineRun[])[])[]; readonly align: Table['align'] }
    | { readonly kind: 'rule' }
  );

type Node = RootContent | BlockContent | DefinitionContent;

export function blocksOf(tree: Root): Block[] {
  return tree.children.flatMap((node) => blocksIn(node, { lists: 0, quotes: 0 }));
}

function blocksIn(node: Node, place: Place): Block[] {
  switch (node.type) {
    case 'heading':
      return [{ ...place, kind: 'heading', depth: node.depth, runs: runsOf(node.children) }];
    case 'paragraph':
      return [{ ...place, kind: 'paragraph', runs: runsOf(node.children) }];
    case 'text':
      return [{ ...place, kind: 'paragraph', runs: runsOf([node]) }];
    case 'code':
      return [{ ...place, kind: 'code', text: node.value }];
    case 'thematicBreak':
      return [{ ...place, kind: 'rule' }];
    case 'table':
      return [
        { ...place, kind: 'table', rows: node.children.map((row) => row.children.map((cell) => runsOf(cell.children))), align: node.align },
      ];
    case 'blockquote':
      return marked(place, (inner) => childrenOf(node.children, { ...inner, quotes: place.quotes + 1 }));
    case 'list':
      return marked(place, () => itemsOf(node, place.lists + 1, place.quotes));
    case 'footnoteDefinition':
      return childrenOf(node.children, { lists: 1, quotes: 0, marker: `[${node.label ?? node.identifier}]` });
    default:
      return [];
  }
}

/** The blocks of an item or a note: the mark stands before the first. */
function childrenOf(children: readonly Node[], { marker, ...place }: Place): Block[] {
  const blocks = children.flatMap((child, index) => blocksIn(child, index === 0 && marker !== undefined ? { ...place, marker } : place));
  return blocks.length > 0 || marker === undefined ? blocks : [{ ...place, marker, kind: 'paragraph', runs: [] }];
}

/** A list or quotation that begins an item: the mark of the item stands on a line of its own. */
function marked({ marker, ...place }: Place, blocks: (inner: Place) => Block[]): Block[] {
  return marker === undefined ? blocks(place) : [{ ...place, marker, kind: 'paragraph', runs: [] }, ...blocks(place)];
}

function itemsOf({ children, ordered, start }: List, lists: number, quotes: number): Block[] {
  return children.flatMap((item, index) => {
    const number = ordered ? `${(start ?? 1) + index}.` : '';
    const box = typeof item.checked === 'boolean' ? (item.checked ? '[x]' : '[ ]') : '';
    return childrenOf(item.children, { lists, quotes, marker: `${number} ${box}`.trim() || '•' });
  });
}

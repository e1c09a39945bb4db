// What the template is given: every size that depends on the text is computed here.
import type { Root } from 'mdast';
import { displayWidth } from '../display-width.js';
import { blocksOf, type Block } from './blocks.js';
import { breakWords } from './break-words.js';
import { setTable } from './set-table.js';
import { setText, withoutTabs } from './set-text.js';

/** Width of the text on A4 without its margins, in points. */
const textWidth = 595 - 2 * 50;
/** A letter of the body is about as wide as this part of its height; bold ones are wider. */
const letterShare = 0.62;
const [titleSize, bodySize, codeSize] = [24, 10.5, 9];
const headingSizes = [20, 17, 15, 13, 12, 11] as const;
const [listStep, quoteStep] = [20, 12];
/** After a list or a quotation, in points. */
const spaceAfter = 6;
/** Deeper lists and quotations stand below each other: the page has an end. */
const maxSteps = 8;

export function pagesOf(title: string, tree: Root): object {
  return { title, heading: setText([{ text: title }], textWidth / (titleSize * letterShare)), blocks: blocksOf(tree).map(written) };
}

function written(block: Block, index: number, all: readonly Block[]): object {
  const lists = Math.min(block.lists, maxSteps);
  const quotes = Math.min(block.quotes, maxSteps);
  const markerWidth = Math.max(listStep, 8 + displayWidth(block.marker ?? '') * bodySize * 0.5);
  const indent = Math.max(0, lists - 1) * listStep;
  const width = textWidth - indent - (block.lists > 0 ? markerWidth : 0) - quotes * quoteStep;
  const place = { lists, quotes, indent, markerWidth, ...(block.marker !== undefined && { marker: block.marker }) };
  const { lists: listsAfter = 0, quotes: quotesAfter = 0 } = all[index + 1] ?? {};
  const isLast = (block.lists > 0 && listsAfter === 0) || (block.quotes > 0 && quotesAfter === 0);
  return { ...place, ...contentOf(block, width), after: isLast ? spaceAfter : 0 };
}

function contentOf(block: Block, width: number): object {
  const letters = (size: number): number => Math.max(1, Math.floor(width / (size * letterShare)));
  switch (block.kind) {
    case 'paragraph':
      return { kind: 'paragraph', ...setText(block.runs, letters(bodySize)), above: 0, below: block.lists > 0 ? 7 : 11 };
    case 'heading': {
      const size = headingSizes[block.depth - 1] ?? bodySize;
      return { kind: 'heading', depth: block.depth, size, ...setText(block.runs, letters(size)), above: 10, below: 11 };
    }
    case 'code': {
      const lines = block.text.split('\n').map((line) => breakWords(withoutTabs(line), letters(codeSize) - 3));
      return { kind: 'code', lines, dir: 'ltr', above: 1, below: 13 };
    }
    case 'table':
      return { kind: 'table', ...setTable(block.rows, block.align ?? [], width), above: 2, below: 14 };
    case 'rule':
      return { kind: 'rule', dir: 'ltr', above: 4, below: 14 };
  }
}

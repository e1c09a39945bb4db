import type { AlignType } from 'mdast';
import { columnWidths } from '../column-widths.js';
import { textOf, type InlineRun } from '../inline.js';
import { directionOf, setText, type SetText } from './set-text.js';

/** More columns than this are shown as several tables below each other. */
const maxColumns = 12;
/** A header that is longer is not repeated on each page: it could fill the page. */
const maxRepeatedHeader = 400;
/** What the borders and the space beside the text of a cell take, in points. */
const cellFrame = 13;
/** A letter is about as wide as this part of its height; bold ones are wider. */
const letterShare = 0.62;

export type TableRows = readonly (readonly (readonly InlineRun[])[])[];

export interface SetTable {
  /** Of its letters, in points. */
  readonly size: number;
  readonly dir: 'ltr' | 'rtl';
  readonly parts: readonly TablePart[];
}

interface TablePart {
  /** Shares of the width. */
  readonly widths: readonly number[];
  readonly align: readonly AlignType[];
  /** Whether each page shows the header again. */
  readonly repeats: boolean;
  readonly rows: readonly (readonly (SetText | string)[])[];
}

export function setTable(rows: TableRows, align: readonly AlignType[], width: number): SetTable {
  const count = Math.max(1, ...rows.map((row) => row.length));
  const size = count <= 5 ? 10 : count <= 8 ? 8.5 : 7;
  const starts = Array.from({ length: Math.ceil(count / maxColumns) }, (_, part) => part * maxColumns);
  const repeats = textOf(rows[0]?.flat() ?? []).length <= maxRepeatedHeader;
  const parts = starts.map((start): TablePart => {
    const columns = Array.from({ length: Math.min(maxColumns, count - start) }, (_, index) => start + index);
    const widths = columnWidths(rows.map((row) => columns.map((column) => textOf(row[column] ?? []))));
    const lettersIn = (share: number): number => Math.max(1, Math.floor((share * width - cellFrame) / (size * letterShare)));
    return {
      widths,
      align: columns.map((column) => align[column] ?? null),
      repeats,
      rows: rows.map((row) => columns.map((column, index) => plainOr(setText(row[column] ?? [], lettersIn(widths[index] ?? 1))))),
    };
  });
  return { size, parts, dir: directionOf(textOf(rows.flat(2))) };
}

function plainOr(text: SetText): SetText | string {
  const [run, ...others] = text.runs;
  if (!run) return '';
  if (others.length > 0 || text.dir === 'rtl' || 'line' in run) return text;
  const { pieces, ...style } = run;
  return pieces.length <= 1 && Object.keys(style).length === 0 ? (pieces[0] ?? '') : text;
}

import { print } from '#lib/command-line';

type Cell = string | number | null;

/** Prints a line of titles and a line for each row; numbers stand to the right. */
export function printTable(titles: readonly string[], rows: readonly (readonly Cell[])[]): void {
  const texts = [titles, ...rows.map((row) => row.map(textOf))];
  const columns = titles.map((_, place) => ({
    width: Math.max(...texts.map((row) => row[place]?.length ?? 0)),
    isNumber: rows.some((row) => typeof row[place] === 'number'),
  }));
  for (const row of texts) {
    const padded = columns.map(({ width, isNumber }, place) => (isNumber ? row[place]?.padStart(width) : row[place]?.padEnd(width)));
    print(padded.join('  ').trimEnd());
  }
}

function textOf(cell: Cell): string {
  if (cell === null) return '-';
  return typeof cell === 'number' ? String(Math.round(cell * 10) / 10) : cell;
}

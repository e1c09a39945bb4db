import { printError } from '#lib/command-line';
import { wholeNumber } from '../command.js';

interface Page<Row> {
  readonly rows: readonly Row[];
  readonly next: string | null;
}

/** The most rows of one request, and of one command. */
const pageSize = 1_000;
const mostRows = 100_000;

export const limitOption = { type: 'string', value: '<number>', help: `the most rows, up to ${mostRows} (default: 100)` } as const;

/**
 * Reads page after page until there are as many rows as were asked for. Tells on standard error when there are more.
 * @param limit of the option `limitOption`; throws UsageError for a wrong one
 */
export async function readPages<Row>(
  limit: string | undefined,
  read: (page: { readonly limit: number; readonly cursor?: string }) => Promise<Page<Row>>,
): Promise<readonly Row[]> {
  const wanted = wholeNumber('--limit', limit, { min: 1, max: mostRows }) ?? 100;
  const rows: Row[] = [];
  let next: string | null = null;
  do {
    const page: Page<Row> = await read({ limit: Math.min(pageSize, wanted - rows.length), ...(next !== null && { cursor: next }) });
    rows.push(...page.rows);
    ({ next } = page);
  } while (next !== null && rows.length < wanted);
  if (next !== null) printError(`There are more: these are the first ${rows.length}; --limit shows up to ${mostRows}`);
  return rows;
}

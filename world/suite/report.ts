import { formatSeconds } from '#lib/command-line';
import { groups, type Group } from './row.js';
import type { RowResult } from './run.js';

const longestFault = 700;

/** One row, when it has been tried. */
export function lineOf({ of, fault, seen, ms }: RowResult): string {
  const said = fault === null ? seen : fault.slice(0, longestFault);
  return `${fault === null ? '✓' : '✗'} ${of.group.padEnd(9)}  ${of.name}  ${formatSeconds(ms)}  ${said}`;
}

/** What failed, then how many held of each group. */
export function report(results: readonly RowResult[]): readonly string[] {
  const failed = results.filter(({ fault }) => fault !== null);
  const byGroup = Map.groupBy(results, ({ of }) => of.group);
  return [
    ...(failed.length > 0 ? ['', ...failed.map(lineOf)] : []),
    '',
    '           held  failed',
    ...(Object.keys(groups) as Group[]).flatMap((group) => {
      const list = byGroup.get(group);
      return list ? [row(group, list)] : [];
    }),
    row('all', results),
  ];
}

function row(name: string, results: readonly RowResult[]): string {
  const failed = results.filter(({ fault }) => fault !== null).length;
  return `${name.padEnd(9)}  ${String(results.length - failed).padStart(4)}  ${String(failed).padStart(6)}`;
}

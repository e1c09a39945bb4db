import { calm } from './checker/attribution.js';
import { none, sum, type Counts } from './checker/check.js';
import type { Violation } from './checker/violation.js';
import type { FaultRecord } from './history/history.js';
import type { Outcome } from './rounds.js';

const columns = [
  'fault',
  'calls',
  'acked',
  'ok',
  'failed',
  'recovered',
  'lost',
  'doubled',
  'unsure',
  'ran again',
  'resumed',
  'in flight',
  'lasted',
  'back after',
  'violations',
  '',
] as const;

/** The table by fault, the totals, what could not be tried, and what was wrong. */
export function report(outcome: Outcome): readonly string[] {
  const { skipped, verdict } = outcome;
  return [
    ...aligned([[...columns], ...rowsOf(outcome)]),
    ...skipped.map(({ id, title, why }) => `${id} ${title}: skipped, ${why}`),
    '',
    ...summary(verdict.violations),
  ];
}

/** The same table in Markdown. */
export function markdownTable(outcome: Outcome): readonly string[] {
  const [, ...heads] = columns;
  const rows = rowsOf(outcome).map((cells) => [`${cells[0]} ${cells.at(-1)}`.trim(), ...cells.slice(1, -1)]);
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(['fault', ...heads.slice(0, -1)]), line(heads.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(line)];
}

function rowsOf({ verdict: { byFault, violations }, faults }: Outcome): readonly (readonly string[])[] {
  const ids = [...new Set(faults.map(({ id }) => id))].toSorted();
  const untouched = byFault.get(calm);
  return [
    ...(untouched ? [row(calm, untouched, { violations, title: 'between the faults' })] : []),
    ...ids.map((id) => {
      const strikes = faults.filter((fault) => fault.id === id);
      return row(id, byFault.get(id) ?? none, { violations, title: strikes[0]?.title ?? '', strikes });
    }),
    row('all', sum(byFault.values()), { violations, title: `${faults.length} faults` }),
  ];
}

interface RowRest {
  readonly violations: readonly Violation[];
  readonly title: string;
  readonly strikes?: readonly FaultRecord[];
}

function row(id: string, counts: Counts, { violations, title, strikes = [] }: RowRest): readonly string[] {
  const own = violations.filter(({ fault }) => id === 'all' || fault === id).length;
  const back = strikes.some(({ recoveryMs }) => recoveryMs === null)
    ? 'never'
    : range(
        strikes.map(({ recoveryMs }) => recoveryMs ?? 0),
        inSeconds,
      );
  const lasted = range(
    strikes.map(({ injectedAt, healedAt }) => healedAt - injectedAt),
    inSeconds,
  );
  const hits = range(
    strikes.map(({ hit }) => hit),
    String,
  );
  const { attempted, acknowledged, ok, failed, recovered, lost, doubled, indeterminate, ranAgain, resumed } = counts;
  const told = [attempted, acknowledged, ok, failed, recovered, lost, doubled, indeterminate, ranAgain, resumed].map(String);
  return [id, ...told, hits, lasted, back, String(own), title];
}

/** The least and the most. */
function range(values: readonly number[], told: (value: number) => string): string {
  if (values.length === 0) return '';
  const [least, most] = [told(Math.min(...values)), told(Math.max(...values))];
  return least === most ? least : `${least}–${most}`;
}

function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = columns.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  return rows.map((cells) =>
    cells
      .map((cell, column) =>
        column === 0 || column === columns.length - 1 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
}

function inSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

const shownOfAKind = 5;

function summary(violations: readonly Violation[]): readonly string[] {
  if (violations.length === 0) return ['No invariant was violated.'];
  const kinds = Map.groupBy(violations, ({ invariant, kind }) => `${invariant} ${kind}`);
  return [
    `${violations.length} violations:`,
    ...[...kinds].flatMap(([kind, list]) => [
      `${kind}: ${list.length}`,
      ...list.slice(0, shownOfAKind).map(({ fault, detail }) => `    [${fault}] ${detail.slice(0, 400)}`),
      ...(list.length > shownOfAKind ? [`    and ${list.length - shownOfAKind} more, see the history`] : []),
    ]),
  ];
}

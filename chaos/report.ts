import { calm } from './checker/attribution.js';
import type { Counts, Verdict } from './checker/check.js';
import type { Violation } from './checker/violation.js';
import type { FaultRecord, History } from './history/history.js';

const columns = [
  'fault',
  'calls',
  'acked',
  'ok',
  'failed',
  'recovered',
  'lost',
  'unsure',
  'ran again',
  'resumed',
  'in flight',
  'lasted',
  'back after',
  'violations',
  '',
] as const;

/** The table by fault, the totals, and what was wrong. */
export function report({ faults }: History, { byFault, total, violations }: Verdict): readonly string[] {
  const ids = [...new Set(faults.map(({ id }) => id))].toSorted();
  const untouched = byFault.get(calm);
  const rows = [
    [...columns],
    ...(untouched ? [row(calm, untouched, { violations, title: 'between the faults' })] : []),
    ...ids.map((id) =>
      row(id, byFault.get(id) ?? nothing, {
        violations,
        title: faults.find((fault) => fault.id === id)?.title ?? '',
        strikes: faults.filter((fault) => fault.id === id),
      }),
    ),
    row('all', total, { violations, title: `${faults.length} faults` }),
  ];
  return [...table(rows), '', ...summary(violations)];
}

const nothing: Counts = {
  attempted: 0,
  acknowledged: 0,
  ok: 0,
  failed: 0,
  recovered: 0,
  lost: 0,
  indeterminate: 0,
  ranAgain: 0,
  resumed: 0,
};

interface RowRest {
  readonly violations: readonly Violation[];
  readonly title: string;
  readonly strikes?: readonly FaultRecord[];
}

function row(id: string, counts: Counts, { violations, title, strikes = [] }: RowRest): readonly string[] {
  const own = violations.filter(({ fault }) => id === 'all' || fault === id).length;
  const back = strikes.map(({ recoveryMs }) => (recoveryMs === null ? 'never' : inSeconds(recoveryMs))).join(' ');
  const lasted = strikes.map(({ injectedAt, healedAt }) => inSeconds(healedAt - injectedAt)).join(' ');
  const hits = strikes.map(({ hit }) => hit).join(' ');
  const { attempted, acknowledged, ok, failed, recovered, lost, indeterminate, ranAgain, resumed } = counts;
  return [id, attempted, acknowledged, ok, failed, recovered, lost, indeterminate, ranAgain, resumed, hits, lasted, back, own, title].map(
    String,
  );
}

function table(rows: readonly (readonly string[])[]): readonly string[] {
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

import { formatSeconds } from '#lib/command-line';
import { groups, type Group } from './case.js';
import type { CaseResult } from './run.js';

/** What failed, then how many held of each group. */
export function report(results: readonly CaseResult[]): readonly string[] {
  const failed = results.filter(({ fault }) => fault !== null);
  const byGroup = Map.groupBy(results, ({ of }) => of.group);
  const rows = (Object.keys(groups) as Group[]).flatMap((group) => {
    const list = byGroup.get(group);
    return list ? [row(group, list)] : [];
  });
  return [
    ...failed.flatMap(({ of, fault }) => [`✗ ${of.group}  ${of.name}  ${of.threats.join(', ')}`, `    ${fault?.slice(0, 700) ?? ''}`]),
    ...(failed.length > 0 ? [''] : []),
    '        held  failed',
    ...rows,
    `all     ${count(results.length - failed.length)}  ${count(failed.length)}`,
  ];
}

function row(group: Group, results: readonly CaseResult[]): string {
  const failed = results.filter(({ fault }) => fault !== null).length;
  const slowest = Math.max(...results.map(({ ms }) => ms));
  return `${group.padEnd(6)}  ${count(results.length - failed)}  ${count(failed)}  ${groups[group]}, up to ${formatSeconds(slowest)}`;
}

function count(number: number): string {
  return String(number).padStart(4);
}

import { hasAnswer } from './labelled.js';
import { measuresOf, type Measures } from './measures.js';
import { mean, ndcg } from './metrics.js';
import type { Ranking, SystemName } from './rankings.js';

export type Rankings = ReadonlyMap<SystemName, readonly Ranking[]>;

const columns: readonly (readonly [string, (measures: Measures) => string])[] = [
  ['nDCG@10', ({ ndcg }) => ndcg.toFixed(3)],
  ['MRR', ({ mrr }) => mrr.toFixed(3)],
  ['recall@5', ({ recall }) => recall.toFixed(3)],
  ['grounded', ({ grounded }) => percent(grounded)],
  ['of these right', ({ rightlyGrounded }) => percent(rightlyGrounded)],
  ['off-topic grounded', ({ falselyGrounded }) => percent(falselyGrounded)],
  ['elsewhere grounded', ({ groundedElsewhere }) => percent(groundedElsewhere)],
];

export function overall(rankings: Rankings, of: (ranking: Ranking) => boolean = () => true): string {
  const rows = [...rankings].map(([system, all]) => {
    const measures = measuresOf(all.filter(of));
    return [system, ...columns.map(([, show]) => show(measures))];
  });
  return table(['', ...columns.map(([name]) => name)], rows);
}

export function byKind(rankings: Rankings, group: (ranking: Ranking) => string): string {
  const asked = new Map([...rankings].map(([system, all]) => [system, all.filter(({ labelled }) => hasAnswer(labelled))]));
  const groups = [...new Set([...asked.values()].flat().map(group))].toSorted();
  const rows = groups.map((name) => [
    name,
    ...[...asked.values()].map((all) => {
      const members = all.filter((ranking) => group(ranking) === name);
      return mean(members.map(({ ids, labelled }) => ndcg(ids, labelled.judged, 10))).toFixed(3);
    }),
  ]);
  return table(['nDCG@10', ...rankings.keys()], rows);
}

/** A calibration table: how often hits of each confidence are right. */
export function calibration(all: readonly Ranking[]): string {
  const bins = Array.from({ length: 5 }, () => ({ count: 0, right: 0, said: 0 }));
  for (const { hits, ids, labelled } of all) {
    const [hit] = hits;
    const bin = hit && bins[Math.min(4, Math.floor(hit.confidence * 5))];
    if (!bin) continue;
    bin.count += 1;
    bin.said += hit.confidence;
    if ((labelled.judged.get(ids[0] ?? '') ?? 0) > 0) bin.right += 1;
  }
  const rows = bins.map(({ count, right, said }, at) => [
    `${(at / 5).toFixed(1)}–${((at + 1) / 5).toFixed(1)}`,
    String(count),
    count ? (said / count).toFixed(2) : '–',
    count ? (right / count).toFixed(2) : '–',
  ]);
  return table(['confidence of the first hit', 'questions', 'said', 'right'], rows);
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]): string => `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |`;
  return [line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rows.map(line)].join('\n');
}

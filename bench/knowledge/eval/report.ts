import { mean, ndcg, recall, reciprocalRank } from './metrics.js';
import type { Ranking, SystemName } from './rankings.js';

/** From here a claim counts as grounded; the same number as in the knowledge worker. */
const groundedFrom = 0.4;

type Rankings = ReadonlyMap<SystemName, readonly Ranking[]>;

export function overall(rankings: Rankings): string {
  const rows = [...rankings].map(([system, all]) => {
    const asked = all.filter(({ labelled }) => labelled.kind !== 'off_topic');
    return [system, ...measures(asked), percent(falseGrounding(all)), percent(grounded(asked))];
  });
  return table(['', 'nDCG@10', 'MRR', 'recall@5', 'false grounding', 'grounded'], rows);
}

export function byKind(rankings: Rankings, group: (ranking: Ranking) => string): string {
  const groups = [...new Set([...rankings.values()].flat().map(group))].toSorted();
  const rows = groups.map((name) => [
    name,
    ...[...rankings.values()].map((all) => {
      const members = all.filter((ranking) => group(ranking) === name && ranking.labelled.kind !== 'off_topic');
      return members.length === 0 ? '–' : mean(members.map(({ ids, labelled }) => ndcg(ids, labelled.judged, 10))).toFixed(3);
    }),
  ]);
  return table(['nDCG@10', ...rankings.keys()], rows);
}

/** How often hits of each confidence are right: what a calibrated confidence says of itself. */
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

function measures(all: readonly Ranking[]): readonly string[] {
  return [
    mean(all.map(({ ids, labelled }) => ndcg(ids, labelled.judged, 10))),
    mean(all.map(({ ids, labelled }) => reciprocalRank(ids, labelled.judged))),
    mean(all.map(({ ids, labelled }) => recall(ids, labelled.judged, 5))),
  ].map((value) => value.toFixed(3));
}

/** Share of off-topic questions whose best hit is trusted. */
function falseGrounding(all: readonly Ranking[]): number {
  const off = all.filter(({ labelled }) => labelled.kind === 'off_topic');
  return mean(off.map(({ hits }) => ((hits[0]?.confidence ?? 0) >= groundedFrom ? 1 : 0)));
}

function grounded(all: readonly Ranking[]): number {
  return mean(all.map(({ hits }) => ((hits[0]?.confidence ?? 0) >= groundedFrom ? 1 : 0)));
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]): string => `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |`;
  return [line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rows.map(line)].join('\n');
}

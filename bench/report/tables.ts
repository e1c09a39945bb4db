import { subjectNames, subjects, type SubjectName } from '../load/subjects.js';
import type { Cells } from './cells.js';

type Comparisons = Partial<Record<SubjectName, { readonly others: readonly SubjectName[]; readonly name: string }>>;

/** What each of our calls is compared with: the best of these subjects. */
export const comparisons = {
  uncached: { others: ['bullmq', 'bullmqFew'], name: 'BullMQ' },
  async: { others: ['uncached'], name: 'computed' },
  stream: { others: ['uncached'], name: 'computed' },
  mcp: { others: ['uncached'], name: 'computed' },
  cached: { others: ['fastify'], name: 'Fastify' },
} as const satisfies Comparisons;
const compared: Comparisons = comparisons;

/** A process that uses less than this for a call is left out. */
const idleMs = 0.002;

export function tableOf(cells: Cells, concurrency: number): string {
  const rows = subjectNames.map((subject, index) => {
    const comparison = compared[subject];
    const ratio = comparison && cells.ratio([subject, comparison.others], concurrency, 'perSecond');
    return [
      `${'abcdefghi'[index]}  ${subjects[subject].title}`.padEnd(38),
      Math.round(cells.median(subject, concurrency, 'perSecond'))
        .toLocaleString('en')
        .padStart(9),
      cells.median(subject, concurrency, 'p50Ms').toFixed(2).padStart(9),
      cells.median(subject, concurrency, 'p99Ms').toFixed(2).padStart(9),
      comparison && ratio !== undefined ? `   ${ratio.toFixed(2)} of ${comparison.name}` : '',
    ].join('');
  });
  const title = `${concurrency} ${concurrency === 1 ? 'caller' : 'callers'}`;
  return [`${title.padEnd(38)}  calls/s   p50 ms   p99 ms`, ...rows].join('\n');
}

/** Where the time of a computed call goes, in processor time. */
export function cpuLine(cells: Cells, subject: SubjectName, concurrency: number): string {
  const parts = [...cells.cpu(subject, concurrency)].filter(([, ms]) => ms >= idleMs);
  const total = parts.reduce((sum, [, ms]) => sum + ms, 0);
  const shown = parts.map(([name, ms]) => `${name} ${ms.toFixed(3)}`).join(', ');
  return `processor ms a call, ${concurrency} callers, ${subjects[subject].title}: ${total.toFixed(3)}${shown && ` = ${shown}`}`;
}

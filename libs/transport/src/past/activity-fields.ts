import type { ActivityBucket } from '#lib/contracts';
import type { CallRecord } from './call-record.js';

/** Latencies are counted in classes: each is a fifth wider than the one before, from 1 ms on. Class 85 is over an hour. */
const growth = 1.2;
const lastClass = 85;
/** Tools of one span that are counted by name; the rest is in the sums alone. Names come from contracts, also from those of outside servers. */
const mostTools = 500;

/** The fields that a call adds to: `<tool> n` a call, `<tool> e<code>` an error, `<tool> l<class>` a latency. */
export function fieldsOf(call: Pick<CallRecord, 'tool_name' | 'error_code' | 'job_id' | 'duration_ms'>): readonly string[] {
  const { tool_name: tool, error_code: code, job_id, duration_ms: ms } = call;
  return [`${tool} n`, ...(code === null ? [] : [`${tool} e${code}`]), ...(job_id === null ? [] : [`${tool} l${classOf(ms)}`])];
}

/** A latency's class, from 0. */
function classOf(ms: number): number {
  return Math.min(lastClass, Math.max(0, Math.round(Math.log(Math.max(1, ms)) / Math.log(growth))));
}

interface Counts {
  calls: number;
  readonly errors: Map<string, number>;
  readonly latencies: Map<number, number>;
}

/** What the fields of one span say. */
export function bucketOf(at: number, fields: Readonly<Record<string, string>>): ActivityBucket {
  const all = newCounts();
  const byTool = new Map<string, Counts>();
  for (const [field, text] of Object.entries(fields)) {
    const cut = field.lastIndexOf(' ');
    const tool = field.slice(0, cut);
    const own = byTool.get(tool) ?? newCounts();
    if (byTool.size < mostTools) byTool.set(tool, own);
    for (const counts of [all, own]) add(counts, field.slice(cut + 1), Number(text));
  }
  const tools = [...byTool].map(([tool, counts]) => [tool, shown(counts)] as const);
  return { at: new Date(at).toISOString(), ...shown(all), by_tool: Object.fromEntries(tools) };
}

function newCounts(): Counts {
  return { calls: 0, errors: new Map(), latencies: new Map() };
}

function add(counts: Counts, kind: string, count: number): void {
  const rest = kind.slice(1);
  if (kind === 'n') counts.calls += count;
  else if (kind.startsWith('e')) counts.errors.set(rest, (counts.errors.get(rest) ?? 0) + count);
  else counts.latencies.set(Number(rest), (counts.latencies.get(Number(rest)) ?? 0) + count);
}

function shown({ calls, errors, latencies }: Counts) {
  const percentile = percentilesOf(latencies);
  return { calls, errors: Object.fromEntries(errors), p50_ms: percentile(0.5), p95_ms: percentile(0.95), p99_ms: percentile(0.99) };
}

function percentilesOf(latencies: ReadonlyMap<number, number>): (share: number) => number | null {
  const sorted = [...latencies].toSorted(([a], [b]) => a - b);
  const total = sorted.reduce((sum, [, count]) => sum + count, 0);
  return (share) => {
    let seen = 0;
    for (const [index, count] of sorted) if ((seen += count) >= share * total) return Math.round(growth ** index * 10) / 10;
    return null;
  };
}

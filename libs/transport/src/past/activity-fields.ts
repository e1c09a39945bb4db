import type { ActivityBucket } from '#lib/contracts';
import { causeOf, type LoggedCall } from './logged-call.js';
import { latencyClass, quantilesOf } from './latency-classes.js';

/** Tools of one span that are counted by name; the rest is in the sums alone. Names come from contracts, also from those of outside servers. */
const mostTools = 500;

/**
 * The fields that a call adds to: `<tool> n` a call, `<tool> e<code>` an error, `<tool> s` one that is a fault of the system,
 * `<tool> l<class>` a latency.
 */
export function fieldsOf(
  call: Pick<LoggedCall, 'tool_name' | 'error_code' | 'job_id' | 'duration_ms' | 'http_status' | 'attempts'>,
): readonly string[] {
  const { tool_name: tool, error_code: code, job_id, duration_ms: ms } = call;
  const errors = code === null ? [] : [`${tool} e${code}`, ...(causeOf(call) === 'system' ? [`${tool} s`] : [])];
  return [`${tool} n`, ...errors, ...(job_id === null ? [] : [`${tool} l${latencyClass(ms)}`])];
}

interface Counts {
  calls: number;
  system: number;
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
  return { calls: 0, system: 0, errors: new Map(), latencies: new Map() };
}

function add(counts: Counts, kind: string, count: number): void {
  const rest = kind.slice(1);
  if (kind === 'n') counts.calls += count;
  else if (kind === 's') counts.system += count;
  else if (kind.startsWith('e')) counts.errors.set(rest, (counts.errors.get(rest) ?? 0) + count);
  else counts.latencies.set(Number(rest), (counts.latencies.get(Number(rest)) ?? 0) + count);
}

function shown({ calls, errors, system, latencies }: Counts) {
  return { calls, errors: Object.fromEntries(errors), system_errors: system, ...quantilesOf(latencies) };
}

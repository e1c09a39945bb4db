import { formatSeconds } from '#lib/command-line';
import { growthOf, isFlat } from './judge/growth.js';
import { maxStallMs } from './judge/process-watch.js';
import type { Violation } from './judge/violation.js';
import type { FuzzRun } from './run.js';

const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
/** What one kept call may take in Redis, on the average of the run. */
const maxBytesARequest = 24 * 1_024;
const shownOfARule = 5;

/** The faults that only the whole run shows. */
export function faultsOfTheWhole({ watches, redisBytes, tally }: FuzzRun): readonly Violation[] {
  const faults: Violation[] = [];
  for (const { name, memory } of watches)
    for (const [what, samples] of [
      ['RSS', memory.map(({ rss }) => rss)],
      ['heap', memory.map(({ heap }) => heap)],
    ] as const) {
      const growth = growthOf(samples);
      if (growth && !isFlat(growth))
        faults.push({ rule: 'memory', detail: `${name}: ${what} grew from ${mib(growth.first)} to ${mib(growth.last)}`, number: null });
    }
  const grown = (redisBytes.at(-1) ?? 0) - (redisBytes[0] ?? 0);
  if (tally.requests > 1_000 && grown / tally.requests > maxBytesARequest)
    faults.push({ rule: 'memory', detail: `Redis keeps ${Math.round(grown / tally.requests)} bytes a request`, number: null });
  return faults;
}

export function report(run: FuzzRun, violations: readonly Violation[]): readonly string[] {
  const { tally, watches, options, redisBytes, redisBytesAfter, lastingKeys, spoiled, seconds } = run;
  const doors = [...tally.doors].toSorted(([, a], [, b]) => b.requests - a.requests);
  const stalls = watches
    .flatMap((watch) => watch.stalls.map((stall) => ({ name: watch.name, ...stall })))
    .toSorted((a, b) => b.cpu_ms - a.cpu_ms);
  const [longest] = stalls;
  return [
    `${tally.requests} requests of ${tally.cases} cases in ${formatSeconds(seconds * 1_000)} (${Math.round(tally.requests / seconds)}/s), seed ${options.seed}, cases ${options.from} to ${run.next - 1}`,
    `statuses: ${[...tally.statuses]
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(([status, count]) => `${status}: ${count}`)
      .join(', ')}`,
    ...doors.map(
      ([door, { requests, answers }]) =>
        `  ${door.padEnd(44)} ${String(requests).padStart(6)}  ${[...answers]
          .toSorted(([a], [b]) => a.localeCompare(b))
          .map(([answer, count]) => `${answer} ${count}`)
          .join(', ')}`,
    ),
    `spoiled answers of upstreams: ${[...spoiled.values()].reduce((sum, count) => sum + count, 0)} (${[...spoiled].map(([way, count]) => `${way} ${count}`).join(', ')})`,
    `longest answer ${formatSeconds(tally.longestMs)}; longest stall ${longest ? `${longest.cpu_ms} ms of processor in ${longest.name}` : `below ${maxStallMs} ms`}; ${watches.reduce((sum, { starved }) => sum + starved, 0)} gaps without the processor`,
    ...watches.map(({ name, memory }) => {
      const [rss, heap] = [growthOf(memory.map((one) => one.rss)), growthOf(memory.map((one) => one.heap))];
      return `  ${name.padEnd(24)} RSS ${rss ? `${mib(rss.first)} → ${mib(rss.last)}` : '–'}, heap ${heap ? `${mib(heap.first)} → ${mib(heap.last)}` : '–'}`;
    }),
    `Redis: ${mib(redisBytes[0] ?? 0)} → ${mib(redisBytes.at(-1) ?? 0)}, a week later ${mib(redisBytesAfter)} in ${lastingKeys.length} keys`,
    ...watches.flatMap(({ name, errors }) =>
      [...errors].map(([what, { count, first }]) => `  logged as error ${count} times by ${name}: ${what}\n    ${first.slice(0, 900)}`),
    ),
    ...violationLines(violations),
    violations.length === 0 ? 'No violations.' : `${violations.length} VIOLATIONS`,
  ];
}

function violationLines(violations: readonly Violation[]): readonly string[] {
  return [...Map.groupBy(violations, ({ rule }) => rule)].flatMap(([rule, those]) => [
    `${rule}: ${those.length}`,
    ...those
      .slice(0, shownOfARule)
      .map(({ number, detail, sent }) => `  ${number === null ? '' : `case ${number} (${sent?.door}): `}${detail.slice(0, 600)}`),
  ]);
}

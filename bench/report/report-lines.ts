import { availableParallelism } from 'node:os';
import { aimLines } from './aims.js';
import type { BenchRun } from './bench-run.js';
import { cpuLine, tableOf } from './tables.js';

const disturbingCores = 0.1;

/** A run as it is printed. */
export function reportLines(run: BenchRun): readonly string[] {
  const { cells, concurrencies, processes } = run;
  return [
    ...concurrencies.flatMap((concurrency) => ['', tableOf(cells, concurrency)]),
    '',
    ...concurrencies.map((concurrency) => cpuLine(cells, 'uncached', concurrency)),
    cpuLine(cells, 'bullmq', concurrencies.at(-1) ?? 1),
    '',
    'Each computed call has a weight of its own, so it misses the cache, runs on the worker and is kept.',
    `Ours has one process more than plain BullMQ (load, gateway, worker, Redis); all share ${availableParallelism()} processors.`,
    ...disturbance(cells.othersCores),
    '',
    ...processes.map((one) => processLine(run, one.name, one.startMs)),
    '',
    ...aimLines(cells),
  ];
}

/** A busy machine distorts the plain figures. Ratios stay valid, because their parts are measured close together. */
function disturbance(cores: number | null): readonly string[] {
  if (cores === null) return [];
  const verdict = cores > disturbingCores ? ': the figures are worse than the machine can do' : '';
  return [`Other programs kept ${cores.toFixed(2)} of them busy meanwhile${verdict}.`];
}

function processLine({ memoryMb }: BenchRun, name: string, startMs: number | null): string {
  const started = startMs === null ? '' : `ready after ${startMs.toFixed(0)} ms`;
  return `${name.padEnd(20)}${started.padEnd(22)}${megabytes(memoryMb.atRest[name])} at rest, ${megabytes(memoryMb.afterwards[name])} after the run`;
}

function megabytes(mb: number | null | undefined): string {
  return typeof mb === 'number' ? `${mb.toFixed(0).padStart(4)} MB` : '   ? MB';
}

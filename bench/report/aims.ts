import type { Cells } from './cells.js';
import { comparisons } from './tables.js';

const throughputAim = 0.85;
const latencyAim = 1.7;
const cachedAim = 0.45;

/** The aims, and whether this run met them. Only for concurrencies that were measured. */
export function aimLines(cells: Cells): readonly string[] {
  const pair = ['uncached', comparisons.uncached.others] as const;
  const share = cells.ratio(pair, 64, 'perSecond');
  const times = cells.ratio(pair, 1, 'p50Ms');
  const cached = cells.ratio(['cached', comparisons.cached.others], 64, 'perSecond');
  return [
    ...(Number.isNaN(share)
      ? []
      : [`throughput at 64: ${share.toFixed(2)} of raw BullMQ (aim ≥ ${throughputAim}) ${verdict(share >= throughputAim)}`]),
    ...(Number.isNaN(times)
      ? []
      : [`sequential p50: ${times.toFixed(2)}× raw BullMQ (aim ≤ ${latencyAim}×) ${verdict(times <= latencyAim)}`]),
    ...(Number.isNaN(cached)
      ? []
      : [`cached at 64: ${cached.toFixed(2)} of a bare Fastify route (aim ≥ ${cachedAim}) ${verdict(cached >= cachedAim)}`]),
  ];
}

function verdict(isMet: boolean): string {
  return isMet ? 'met' : 'MISSED';
}

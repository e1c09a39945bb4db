import type { Cells } from './cells.js';

const throughputAim = 0.6;
const latencyAim = 3;

/** The aims, and whether this run met them. Only for concurrencies that were measured. */
export function aimLines(cells: Cells): readonly string[] {
  const pair = ['uncached', 'bullmq'] as const;
  const share = cells.ratio(pair, 64, 'perSecond');
  const times = cells.ratio(pair, 1, 'p50Ms');
  return [
    ...(Number.isNaN(share)
      ? []
      : [`throughput at 64: ${share.toFixed(2)} of raw BullMQ (aim ≥ ${throughputAim}) ${verdict(share >= throughputAim)}`]),
    ...(Number.isNaN(times)
      ? []
      : [`sequential p50: ${times.toFixed(1)}× raw BullMQ (aim ≤ ${latencyAim}×) ${verdict(times <= latencyAim)}`]),
  ];
}

function verdict(isMet: boolean): string {
  return isMet ? 'met' : 'MISSED';
}

import type { Cells } from './cells.js';
import { comparisons } from './tables.js';

interface Aim {
  readonly what: string;
  readonly subject: keyof typeof comparisons;
  readonly concurrency: number;
  /** What is compared, and how: a share should be large, a time small. */
  readonly figure: 'perSecond' | 'p50Ms';
  readonly aim: number;
}

const aims: readonly Aim[] = [
  { what: 'computed at 64: {} of raw BullMQ', subject: 'uncached', concurrency: 64, figure: 'perSecond', aim: 0.85 },
  { what: 'computed, one caller, p50: {}× raw BullMQ', subject: 'uncached', concurrency: 1, figure: 'p50Ms', aim: 1.7 },
  { what: 'cached at 64: {} of a bare Fastify route', subject: 'cached', concurrency: 64, figure: 'perSecond', aim: 0.45 },
  { what: 'async at 64: {} of computed', subject: 'async', concurrency: 64, figure: 'perSecond', aim: 0.8 },
  { what: 'stream at 64: {} of computed', subject: 'stream', concurrency: 64, figure: 'perSecond', aim: 0.8 },
  { what: 'MCP at 64: {} of computed', subject: 'mcp', concurrency: 64, figure: 'perSecond', aim: 0.7 },
];

/** The aims, and whether this run met them. Only for what was measured. */
export function aimLines(cells: Cells): readonly string[] {
  return aims.flatMap(({ what, subject, concurrency, figure, aim }) => {
    const value = cells.ratio([subject, comparisons[subject].others], concurrency, figure);
    if (Number.isNaN(value)) return [];
    const isShare = figure === 'perSecond';
    const verdict = (isShare ? value >= aim : value <= aim) ? 'met' : 'MISSED';
    return [`${what.replace('{}', value.toFixed(2))} (aim ${isShare ? '≥' : '≤'} ${aim}) ${verdict}`];
  });
}

// From the measurements to figures: a cell is one subject at one concurrency, measured once a round.
import type { SubjectName } from '../load/subjects.js';

export interface Measurement {
  readonly round: number;
  readonly subject: SubjectName;
  readonly concurrency: number;
  readonly calls: number;
  readonly failures: number;
  readonly firstFailure: string | null;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers that a worker of ours computed, warm-up included. */
  readonly workerRuns: number;
  /** Processor time a call by process, the load's own included; empty where it cannot be known. */
  readonly cpuMsPerCall: Readonly<Record<string, number>>;
  /** Processors that programs other than ours kept busy meanwhile; null where it cannot be known. */
  readonly othersCores: number | null;
}

type Figure = 'perSecond' | 'p50Ms' | 'p99Ms';

export class Cells {
  readonly measurements: readonly Measurement[];

  constructor(measurements: readonly Measurement[]) {
    this.measurements = measurements;
  }

  of(subject: SubjectName, concurrency: number): readonly Measurement[] {
    return this.measurements.filter((one) => one.subject === subject && one.concurrency === concurrency);
  }

  median(subject: SubjectName, concurrency: number, figure: Figure): number {
    return median(this.of(subject, concurrency).map((one) => one[figure]));
  }

  /** Median over the rounds of one subject's figure by the best of others in the same round, since what else the machine did was alike. */
  ratio([subject, others]: readonly [SubjectName, readonly SubjectName[]], concurrency: number, figure: Figure): number {
    const best = figure === 'perSecond' ? Math.max : Math.min;
    const rounds = others.map((other) => this.of(other, concurrency));
    return median(
      this.of(subject, concurrency).map((one, index) => one[figure] / best(...rounds.map((cells) => cells[index]?.[figure] ?? Number.NaN))),
    );
  }

  /** Processors that other programs took from the run, on average; null where it cannot be known. */
  get othersCores(): number | null {
    const known = this.measurements.flatMap(({ othersCores }) => othersCores ?? []);
    return known.length === 0 ? null : known.reduce((sum, cores) => sum + cores, 0) / known.length;
  }

  /** Medians of the processor time a call, by process. */
  cpu(subject: SubjectName, concurrency: number): ReadonlyMap<string, number> {
    const cells = this.of(subject, concurrency);
    const names = new Set(cells.flatMap(({ cpuMsPerCall }) => Object.keys(cpuMsPerCall)));
    return new Map([...names].map((name) => [name, median(cells.map(({ cpuMsPerCall }) => cpuMsPerCall[name] ?? 0))]));
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

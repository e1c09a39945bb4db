import type { SystemProcess } from '../system/product.js';
import type { Cells } from './cells.js';

type Memory = Readonly<Record<string, number | null>>;

/** Results of one run. */
export interface BenchRun {
  readonly cells: Cells;
  readonly concurrencies: readonly number[];
  readonly processes: readonly SystemProcess[];
  /** Resident, by process. */
  readonly memoryMb: { readonly atRest: Memory; readonly afterwards: Memory };
  /** Computed calls of the whole run, warm-ups included. */
  readonly workerRuns: {
    /** As the worker counted them: a check of the answers. */
    readonly counted: number;
    /** By the answers. */
    readonly answered: number;
  };
}

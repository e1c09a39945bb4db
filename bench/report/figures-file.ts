import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { resolve } from 'node:path';
import { aimLines } from './aims.js';
import type { BenchRun } from './bench-run.js';

/** Everything that was measured, for comparing runs. A relative path is that of the shell, not of the script. */
export function writeFigures(file: string, run: BenchRun, faults: readonly string[]): void {
  const { cells, processes, memoryMb } = run;
  const figures = {
    machine: { node: process.version, processors: availableParallelism(), model: cpus()[0]?.model ?? null, othersCores: cells.othersCores },
    processes,
    memoryMb,
    measurements: cells.measurements,
    aims: aimLines(cells),
    faults,
  };
  writeFileSync(resolve(process.env['INIT_CWD'] || process.cwd(), file), `${JSON.stringify(figures, null, 2)}\n`);
}

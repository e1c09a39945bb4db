import type { LabProcess } from '../test/lab/lab-process.js';
import type { DeathRecord } from './history/history.js';

/** Notices processes that are down when all should be up. */
export class DeathWatch {
  readonly #processes: readonly LabProcess[];
  readonly #deaths: DeathRecord[] = [];
  readonly #known = new Set<string>();

  constructor(processes: readonly LabProcess[]) {
    this.#processes = processes;
  }

  get deaths(): readonly DeathRecord[] {
    return this.#deaths;
  }

  look(): void {
    for (const { name, pid, logFile } of this.#processes) {
      if (pid !== undefined || this.#known.has(name)) continue;
      this.#known.add(name);
      this.#deaths.push({ at: Date.now(), name, how: `see ${logFile}` });
    }
  }
}

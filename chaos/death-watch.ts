import { basename } from 'node:path';
import type { AppProcess } from '#lib/testing';
import type { DeathRecord } from './history/history.js';

/** Notices processes that are down when all should be up. */
export class DeathWatch {
  readonly #apps: readonly AppProcess[];
  readonly #deaths: DeathRecord[] = [];
  readonly #known = new Set<AppProcess>();

  constructor(apps: readonly AppProcess[]) {
    this.#apps = apps;
  }

  get deaths(): readonly DeathRecord[] {
    return this.#deaths;
  }

  look(): void {
    for (const app of this.#apps) {
      if (app.isRunning || this.#known.has(app)) continue;
      this.#known.add(app);
      this.#deaths.push({ at: Date.now(), name: basename(app.logFile, '.log'), how: `see ${app.logFile}` });
    }
  }
}

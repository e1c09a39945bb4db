import { embedMissing } from '#lib/knowledge';
import type { Logger } from '#lib/platform';
import type { Metrics } from '#lib/transport';
import type { Sql, VectorIndex } from '#lib/retrieval';

interface VectorBackfillParts {
  readonly pool: Sql;
  readonly vectors: Pick<VectorIndex, 'missing' | 'put' | 'embedder'> | null;
  readonly metrics: Pick<Metrics, 'lateVectors'>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

const firstRunMs = 5_000;
const intervalMs = 60_000;

/**
 * Makes missing vectors in the background, once a minute. Vectors are missing after a change of the embedding provider, and when the
 * provider was unavailable during an import.
 */
export class VectorBackfill {
  readonly #parts: VectorBackfillParts;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(parts: VectorBackfillParts) {
    this.#parts = parts;
  }

  start(): void {
    if (this.#parts.vectors) this.#schedule(firstRunMs);
  }

  /** Resolves when a run that is under way has ended. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#stopping.abort();
    await this.#running;
  }

  #schedule(ms: number): void {
    if (this.#stopping.signal.aborted) return;
    this.#timer = setTimeout(() => void (this.#running = this.#run().then(() => this.#schedule(intervalMs))), ms);
  }

  async #run(): Promise<void> {
    const { pool, vectors, metrics, log } = this.#parts;
    if (!vectors) return;
    try {
      const made = await embedMissing(pool, vectors, this.#stopping.signal);
      metrics.lateVectors.inc(made);
      if (made > 0) log.info({ event: 'late-vectors', made, provider: vectors.embedder.name }, 'vectors made after their import');
    } catch (error) {
      if (!this.#stopping.signal.aborted)
        log.warn({ event: 'no-vectors', provider: vectors.embedder.name, err: error }, 'no vectors for now: keywords alone are searched');
    }
  }
}

import { embedMissing } from '#lib/knowledge';
import { metric, type Logger } from '#lib/platform';
import type { SqlPool, VectorIndex } from '#lib/retrieval';

interface LateVectorsParts {
  readonly pool: SqlPool;
  readonly vectors: VectorIndex | null;
  readonly log: Logger;
}

const firstLookMs = 5_000;
const everyMs = 60_000;

/** Makes the vectors that are missing, once a minute: after a change of provider, or after the provider was away at an import. */
export class LateVectors {
  readonly #parts: LateVectorsParts;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(parts: LateVectorsParts) {
    this.#parts = parts;
  }

  start(): void {
    if (this.#parts.vectors) this.#wait(firstLookMs);
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#stopping.abort();
    await this.#running;
  }

  #wait(ms: number): void {
    if (this.#stopping.signal.aborted) return;
    this.#timer = setTimeout(() => void (this.#running = this.#look().then(() => this.#wait(everyMs))), ms);
  }

  async #look(): Promise<void> {
    const { pool, vectors, log } = this.#parts;
    if (!vectors) return;
    try {
      const made = await embedMissing(pool, vectors, this.#stopping.signal);
      metric.lateVectors.inc(made);
      if (made > 0) log.info({ event: 'late-vectors', made, provider: vectors.embedder.name }, 'vectors made after their import');
    } catch (error) {
      if (!this.#stopping.signal.aborted)
        log.warn({ event: 'no-vectors', provider: vectors.embedder.name, err: error }, 'no vectors for now: keywords alone are searched');
    }
  }
}

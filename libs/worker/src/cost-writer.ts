import type { Logger } from '#lib/platform';
import type { InvocationStore } from '#lib/transport';

interface CostWriterParts {
  readonly store: Pick<InvocationStore, 'reported'>;
  readonly log: Pick<Logger, 'warn'>;
  readonly jobId: string;
  readonly run: number;
  /** What earlier attempts have reported, in millionths of a US dollar. */
  readonly before: number;
  /** The invocation has ended, or a later attempt has it. */
  readonly onUnwanted: () => void;
}

/**
 * Writes what an attempt has reported into the record of its call as soon as it may: it was spent, also where the process dies. What is reported while a
 * write is under way goes with the next one. What cannot be written counts all the same if this attempt ends the call.
 */
export class CostWriter {
  readonly #parts: CostWriterParts;
  #sum = 0;
  #written = 0;
  #writing: Promise<void> | null = null;

  constructor(parts: CostWriterParts) {
    this.#parts = parts;
  }

  /** Of all attempts. */
  get micros(): number {
    return this.#parts.before + this.#sum;
  }

  /** @param sum what this attempt has reported so far */
  tell(sum: number): void {
    this.#sum = sum;
    this.#writing ??= this.#write().finally(() => (this.#writing = null));
  }

  /** Resolves when the record has all of it. Before the call goes into other hands. */
  async flushed(): Promise<void> {
    await this.#writing;
  }

  /** Never rejects. */
  async #write(): Promise<void> {
    const { store, log, jobId, run, onUnwanted } = this.#parts;
    while (this.#written < this.#sum) {
      // What a handler reports in one go is written once.
      await Promise.resolve();
      const sum = this.#sum;
      try {
        if (!(await store.reported(jobId, run, this.micros))) return onUnwanted();
        this.#written = sum;
      } catch (error) {
        return log.warn({ event: 'cost-lost', job_id: jobId, micros: sum, err: error }, 'what a call has cost could not be written');
      }
    }
  }
}

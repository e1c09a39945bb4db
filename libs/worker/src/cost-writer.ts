import type { Logger } from '#lib/platform';
import type { AttemptWrites, Reported } from '#lib/transport';

interface CostWriterParts {
  readonly attempts: Pick<AttemptWrites, 'reported' | 'asks'>;
  readonly log: Pick<Logger, 'warn'>;
  readonly jobId: string;
  readonly attempt: number;
  /** What earlier attempts have reported. */
  readonly before: Reported;
  /** The invocation has ended, or a later attempt has it. */
  readonly onUnwanted: () => void;
}

/**
 * Writes what an attempt has reported into the record of its call as soon as it may: it was spent, also where the process dies. What is reported while a
 * write is under way goes with the next one. What cannot be written counts all the same if this attempt ends the call.
 */
export class CostWriter {
  readonly #parts: CostWriterParts;
  #now: Reported;
  #written: Reported;
  #writing: Promise<void> | null = null;

  constructor(parts: CostWriterParts) {
    this.#parts = parts;
    this.#now = parts.before;
    this.#written = parts.before;
  }

  /** Of all attempts. */
  get reported(): Reported {
    return this.#now;
  }

  /** @param sum what this attempt has cost so far */
  tell(sum: number): void {
    this.#change({ ...this.#now, reportedMicros: this.#parts.before.reportedMicros + sum });
  }

  /** Notes the model that it asks. */
  asks(model: string): void {
    this.#change({ ...this.#now, model });
  }

  /** Resolves when the record has all of it. Before the call goes into other hands. */
  async flushed(): Promise<void> {
    await this.#writing;
  }

  #change(now: Reported): void {
    this.#now = now;
    this.#writing ??= this.#write();
  }

  /** Never rejects. */
  async #write(): Promise<void> {
    const { log, jobId, onUnwanted } = this.#parts;
    try {
      do {
        // What a handler reports in one go is written once.
        await Promise.resolve();
        const now = this.#now;
        if (!(await this.#store(now))) return onUnwanted();
        this.#written = now;
      } while (this.#now !== this.#written);
    } catch (error) {
      const facts = { event: 'cost-lost', job_id: jobId, micros: this.#now.reportedMicros, err: error };
      log.warn(facts, 'what a call has cost could not be written');
    } finally {
      // At once: what is reported next begins a write of its own.
      this.#writing = null;
    }
  }

  /** False when the call has ended, or a later attempt has it. */
  async #store({ reportedMicros, model }: Reported): Promise<boolean> {
    const { attempts, jobId, attempt } = this.#parts;
    if (model !== null && model !== this.#written.model && !(await attempts.asks(jobId, attempt, model))) return false;
    return reportedMicros === this.#written.reportedMicros || attempts.reported(jobId, attempt, reportedMicros);
  }
}

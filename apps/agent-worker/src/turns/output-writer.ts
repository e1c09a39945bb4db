// The output of a turn on its way to the log of its job. Text is written as soon as the write before it is done: the first words do not
// wait, and a fast model costs few writes.
import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentOutput } from '#lib/contracts';
import { untilTick } from '../pace.js';
import { questionFirst } from './question-first.js';

/** Writes outputs in order, one write at a time. Neighbouring pieces of text become one output. */
export class OutputWriter {
  readonly #write: (data: readonly unknown[]) => Promise<void>;
  readonly #intervalMs: () => number;
  #queue: AgentOutput[] = [];
  #writing: Promise<void> | null = null;
  #lastAt = -Infinity;
  #fault: { readonly error: unknown } | null = null;

  /** @param intervalMs between two ticks of the clock, at each of which text is written once; asked before each write */
  constructor(write: (data: readonly unknown[]) => Promise<void>, intervalMs: () => number) {
    this.#write = write;
    this.#intervalMs = intervalMs;
  }

  /** Queues the next output. Throws the error of an earlier write. */
  push(output: AgentOutput): void {
    this.#throwFault();
    const last = this.#queue.at(-1);
    if (output.type === 'content' && last?.type === 'content')
      this.#queue[this.#queue.length - 1] = { type: 'content', content: last.content + output.content };
    else this.#queue.push(output);
    // Tool calls are written together with the end of their step, so that the log holds all of them or none.
    if (output.type !== 'tool_call') this.#writing ??= this.#drain();
  }

  /** Resolves when everything is written. Throws the error of a write. */
  async flush(): Promise<void> {
    while (this.#writing) await this.#writing;
    this.#throwFault();
  }

  async #drain(): Promise<void> {
    try {
      while (this.#queue.length > 0) {
        // This announces that the model is asked, and it can wait; the question cannot.
        if (this.#queue.every(({ type }) => type === 'thinking')) await questionFirst();
        const intervalMs = this.#intervalMs();
        const isWritten = Math.floor(performance.now() / intervalMs) === Math.floor(this.#lastAt / intervalMs);
        if (isWritten && this.#queue.every(({ type }) => type === 'content')) await sleep(untilTick(intervalMs));
        const whole = this.#queue.findLastIndex(({ type }) => type !== 'tool_call') + 1;
        if (whole === 0) return;
        const next = this.#queue.splice(0, whole);
        this.#lastAt = performance.now();
        await this.#write(next);
      }
    } catch (error) {
      this.#fault = { error };
    } finally {
      // Cleared at once: an output that is pushed before would start no write of its own and wait for ever.
      this.#writing = null;
    }
  }

  #throwFault(): void {
    if (this.#fault) throw this.#fault.error;
  }
}

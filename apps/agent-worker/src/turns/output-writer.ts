// What a turn says, on its way to its log. Words are written as soon as the write before them is done, so the first is never
// waited for and a fast model costs few writes.
import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentOutput } from '#lib/contracts';

/** Words of one write reach the reader together. Shorter than this nobody sees; longer than the other, it looks halting. */
const shortestPaceMs = 10;
const longestPaceMs = 100;
const paceMsATurn = 0.5;

/** The time between two beats at which words of a turn are written. @param open turns that run now */
export function paceMsOf(open: number): number {
  return Math.min(longestPaceMs, Math.max(shortestPaceMs, open * paceMsATurn));
}

export class OutputWriter {
  readonly #write: (data: readonly unknown[]) => Promise<void>;
  readonly #paceMs: () => number;
  #waiting: AgentOutput[] = [];
  #writing: Promise<void> | null = null;
  #lastAt = -Infinity;
  #fault: { readonly error: unknown } | null = null;

  /** @param paceMs asked before each write of words alone */
  constructor(write: (data: readonly unknown[]) => Promise<void>, paceMs: () => number) {
    this.#write = write;
    this.#paceMs = paceMs;
  }

  /** Takes the next output. Throws what a write before it has thrown. */
  push(output: AgentOutput): void {
    this.#throwFault();
    const last = this.#waiting.at(-1);
    if (output.type === 'content' && last?.type === 'content')
      this.#waiting[this.#waiting.length - 1] = { type: 'content', content: last.content + output.content };
    else this.#waiting.push(output);
    // Calls are written together with the end of their step, so that a log never holds a part of them.
    if (output.type !== 'tool_call') this.#writing ??= this.#drain();
  }

  /** Resolves when everything is written. Throws what a write has thrown. */
  async flush(): Promise<void> {
    while (this.#writing) await this.#writing;
    this.#throwFault();
  }

  async #drain(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        const paceMs = this.#paceMs();
        const now = performance.now();
        // All turns wait for the same beats, so that their writes leave together: one system call for many.
        if (now - this.#lastAt < paceMs && this.#waiting.every(({ type }) => type === 'content')) await sleep(paceMs - (now % paceMs));
        const whole = this.#waiting.findLastIndex(({ type }) => type !== 'tool_call') + 1;
        if (whole === 0) return;
        const next = this.#waiting.splice(0, whole);
        this.#lastAt = performance.now();
        await this.#write(next);
      }
    } catch (error) {
      this.#fault = { error };
    } finally {
      // Here and not a turn of the event loop later: what is pushed in between would wait for ever.
      this.#writing = null;
    }
  }

  #throwFault(): void {
    if (this.#fault) throw this.#fault.error;
  }
}

// What a turn says, on its way to its log. Words are written as soon as the write before them is done, so the first is never
// waited for and a fast model costs few writes.
import type { AgentOutput } from '#lib/contracts';

/** The shortest time between two writes: words of one write reach the reader together. */
const paceMs = 10;

export class OutputWriter {
  readonly #write: (data: readonly unknown[]) => Promise<void>;
  #waiting: AgentOutput[] = [];
  #writing: Promise<void> | null = null;
  #lastAt = -Infinity;
  #said = '';

  constructor(write: (data: readonly unknown[]) => Promise<void>) {
    this.#write = write;
  }

  /** All words so far. */
  get said(): string {
    return this.#said;
  }

  /** Takes the next output. Throws what a write before it has thrown. */
  push(output: AgentOutput): void {
    if (output.type === 'content') this.#said += output.content;
    const last = this.#waiting.at(-1);
    if (output.type === 'content' && last?.type === 'content')
      this.#waiting[this.#waiting.length - 1] = { type: 'content', content: last.content + output.content };
    else this.#waiting.push(output);
    // Calls are written together with the end of their step, so that a log never holds a part of them.
    if (output.type !== 'tool_call') this.#writing ??= this.#drain().finally(() => (this.#writing = null));
  }

  /** Resolves when everything is written. */
  async flush(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const early = paceMs - (performance.now() - this.#lastAt);
      if (early > 0 && this.#waiting.every(({ type }) => type === 'content')) await new Promise((resolve) => setTimeout(resolve, early));
      const whole = this.#waiting.findLastIndex(({ type }) => type !== 'tool_call') + 1;
      if (whole === 0) return;
      const now = this.#waiting.splice(0, whole);
      this.#lastAt = performance.now();
      await this.#write(now);
    }
  }
}

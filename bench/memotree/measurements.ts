// Times of operations, printed as rows of a table as they come.

interface Options {
  /** Only operations whose names contain this text. */
  readonly only: string;
  readonly runs: number;
}

interface Run {
  readonly times?: number;
  /** Done before each run, outside the time. */
  readonly before?: (run: number) => Promise<void>;
}

export class Measurements {
  readonly #options: Options;
  #size = 0;

  constructor(options: Options) {
    this.#options = options;
    console.log('| nodes | operation | p50 ms | p95 ms |\n| --- | --- | --- | --- |');
  }

  begin(size: number): void {
    this.#size = size;
  }

  async run(name: string, work: () => Promise<unknown>, { times = this.#options.runs, before }: Run = {}): Promise<void> {
    if (!name.includes(this.#options.only)) return;
    const all: number[] = [];
    // The first five runs make query plans and fill caches.
    for (let run = times > 10 ? -5 : -1; run < times; run++) {
      await before?.(run);
      const start = performance.now();
      await work();
      if (run >= 0) all.push(performance.now() - start);
    }
    const sorted = all.toSorted((a, b) => a - b);
    const at = (share: number): string => (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
    console.log(`| ${this.#size} | ${name} | ${at(0.5)} | ${at(0.95)} |`);
  }
}

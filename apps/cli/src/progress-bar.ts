import { Presets, SingleBar } from 'cli-progress';

type Payload = Readonly<Record<string, string | number>>;

interface Shape {
  /** What the bar shows, with `{bar}`, `{percentage}`, `{value}`, `{total}` and the names of the payload. */
  readonly format: string;
  readonly total: number;
  readonly payload: Payload;
}

/** A progress bar on a terminal. On any other stream it shows nothing. It disappears when it is stopped. */
export class ProgressBar {
  readonly #stream: NodeJS.WriteStream;
  readonly #bar: SingleBar | undefined;
  readonly #total: number;
  #value = 0;
  #payload: Payload;

  constructor(stream: NodeJS.WriteStream, { format, total, payload }: Shape) {
    this.#stream = stream;
    this.#total = total;
    this.#payload = payload;
    if (!stream.isTTY) return;
    this.#bar = new SingleBar({ format, stream, barsize: 24, clearOnComplete: true, gracefulExit: false }, Presets.shades_classic);
    this.#bar.start(total, 0, payload);
  }

  /** True when somebody watches. */
  get isShown(): boolean {
    return this.#bar?.isActive === true;
  }

  update(value: number, payload: Payload): void {
    this.#value = value;
    this.#payload = payload;
    this.#bar?.update(value, payload);
  }

  /** Writes a line above the bar. The bar restores the cursor to where it started, so it is started again below the line. */
  print(line: string): void {
    const { isShown } = this;
    if (isShown) this.#bar?.stop();
    this.#stream.write(`${line}\n`);
    if (isShown) this.#bar?.start(this.#total, this.#value, this.#payload);
  }

  stop(): void {
    this.#bar?.stop();
  }
}

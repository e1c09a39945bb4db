import { Presets, SingleBar } from 'cli-progress';

interface Progress {
  readonly documents: number;
  readonly sections: number;
  readonly skipped: number;
}

/** Files, documents and sections while a person watches; on anything but a terminal it is silent. */
export class KnowledgeProgress {
  readonly #bar: SingleBar | undefined;
  #file = 0;
  #progress: Progress = { documents: 0, sections: 0, skipped: 0 };

  constructor(stream: NodeJS.WriteStream, files: number) {
    if (!stream.isTTY) return;
    const format = '{bar} {value} of {total} files | {documents} documents, {sections} sections, {skipped} skipped';
    this.#bar = new SingleBar({ format, stream, barsize: 24, clearOnComplete: true, gracefulExit: false }, Presets.shades_classic);
    this.#bar.start(files, 0, this.#progress);
  }

  reach(file: number): void {
    this.#file = file;
    this.#bar?.update(this.#file, this.#progress);
  }

  show({ documents, sections, skipped }: Progress): void {
    this.#progress = { documents, sections, skipped };
    this.#bar?.update(this.#file, this.#progress);
  }

  stop(): void {
    this.#bar?.stop();
  }
}

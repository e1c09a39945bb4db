import { Presets, SingleBar } from 'cli-progress';

import type { ImportProgress } from './import-file.js';

/** Shows bytes and rows while a person watches; on anything but a terminal it is silent. Gone when stopped. */
export class ProgressBar {
  private readonly stream: NodeJS.WriteStream;
  private readonly totalBytes: number;
  private readonly bar: SingleBar | undefined;
  private progress: ImportProgress = { step: 'reading', bytes: 0, rows: 0, rejected: 0 };

  constructor(stream: NodeJS.WriteStream, totalBytes: number) {
    this.stream = stream;
    this.totalBytes = totalBytes;
    if (!stream.isTTY) return;
    const format = '{bar} {percentage} % | {read} of {size} | {rows} rows, {rejected} rejected | {step}';
    this.bar = new SingleBar({ format, stream, barsize: 24, clearOnComplete: true, gracefulExit: false }, Presets.shades_classic);
    this.start();
  }

  show(progress: ImportProgress): void {
    this.progress = progress;
    this.bar?.update(progress.bytes, this.payload());
  }

  /** A line above the bar. The bar restores the cursor to where it started, so it starts anew below the line. */
  print(line: string): void {
    const active = this.bar?.isActive === true;
    if (active) this.stop();
    this.stream.write(`${line}\n`);
    if (active) this.start();
  }

  stop(): void {
    this.bar?.stop();
  }

  private start(): void {
    this.bar?.start(this.totalBytes, this.progress.bytes, this.payload());
  }

  private payload() {
    const { rows, rejected, step, bytes } = this.progress;
    return { read: formatBytes(bytes), size: formatBytes(this.totalBytes), rows: formatCount(rows), rejected: formatCount(rejected), step };
  }
}

export function formatCount(count: number): string {
  return count.toLocaleString('en');
}

export function formatBytes(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  const power = bytes < 1_000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1);
  return `${(bytes / 1_000 ** power).toFixed(power ? 1 : 0)} ${units[power]}`;
}

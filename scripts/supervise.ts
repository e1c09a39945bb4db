// Keeps processes alive: one that ends unasked is started again, later and later while it keeps falling.
import { setTimeout as sleep } from 'node:timers/promises';
import { ManagedProcess, reason, type ProcessSpec } from './managed-process.js';
import { formatSeconds, print, printError } from '#lib/command-line';

const firstDelayMs = 200;
const longestDelayMs = 5_000;
/** A process that lived this long was well; its next fall starts from the first delay. */
const wellAfterMs = 30_000;

export interface RunningProcess {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
}

export class Supervisor {
  readonly #processes: ManagedProcess[] = [];
  readonly #onChange: (running: readonly RunningProcess[]) => void;
  readonly #asked = new Set<ManagedProcess>();
  readonly #abort = new AbortController();

  constructor(onChange: (running: readonly RunningProcess[]) => void) {
    this.#onChange = onChange;
  }

  /** Starts a process, waits until it is ready, and watches over it from then on. */
  async start(spec: ProcessSpec): Promise<void> {
    this.#abort.signal.throwIfAborted();
    const managed = new ManagedProcess(spec);
    this.#processes.push(managed);
    managed.launch();
    this.#changed();
    await managed.ready();
    void this.#watch(managed);
  }

  /** Stops the named processes, or all but the named. They stay down. */
  async stop(isMeant: (name: string) => boolean): Promise<void> {
    this.#abort.abort(new Error('stopping'));
    const meant = this.#processes.filter((managed) => isMeant(managed.spec.name));
    for (const managed of meant) this.#asked.add(managed);
    await Promise.all(meant.map((managed) => managed.stop()));
    this.#changed();
  }

  /** Starts the meant processes anew, one after the other, for a changed build. */
  async restart(isMeant: (name: string) => boolean): Promise<void> {
    for (const managed of this.#processes.filter(({ spec }) => isMeant(spec.name))) {
      // One that fell is about to be started again anyway.
      if (!managed.isRunning()) continue;
      this.#asked.add(managed);
      await managed.stop();
      this.#asked.delete(managed);
      managed.launch();
      this.#changed();
      void this.#watch(managed);
    }
  }

  killAll(): void {
    for (const managed of this.#processes) {
      this.#asked.add(managed);
      managed.signal('SIGKILL');
    }
  }

  async #watch(managed: ManagedProcess): Promise<void> {
    let delayMs = firstDelayMs;
    for (;;) {
      const started = performance.now();
      const pid = managed.pid;
      const exit = await managed.exited;
      if (this.#asked.has(managed)) return;
      if (performance.now() - started > wellAfterMs) delayMs = firstDelayMs;
      printError(
        `${managed.spec.name} (pid ${pid ?? '?'}) ended: ${reason(exit)}. Starting it again in ${delayMs} ms; its log: ${managed.spec.logFile}`,
      );
      this.#changed();
      await sleep(delayMs);
      if (this.#asked.has(managed) || this.#abort.signal.aborted) return;
      delayMs = Math.min(delayMs * 2, longestDelayMs);
      managed.launch();
      this.#changed();
      this.#announce(managed);
    }
  }

  #announce(managed: ManagedProcess): void {
    const started = performance.now();
    const pid = managed.pid;
    managed.ready().then(
      () => {
        print(`${managed.spec.name} is back (pid ${pid ?? '?'}) after ${formatSeconds(performance.now() - started)}`);
      },
      // It ended again or hangs: the watch says the first, its log the second.
      () => undefined,
    );
  }

  #changed(): void {
    this.#onChange(this.#processes.flatMap(({ pid, spec: { name, port } }) => (pid === undefined ? [] : [{ name, pid, port }])));
  }
}

// Keeps processes running: one that ends unexpectedly is started again.
import { setTimeout as sleep } from 'node:timers/promises';
import { describeExit, lastLines, ManagedProcess, type ProcessSpec } from './managed-process.js';
import { RestartDelay } from './restart-delay.js';
import { CommandError, formatSeconds, print, printError } from '#lib/command-line';

/** Within this time after its end the system reports that a process has ended. */
const noticedWithinMs = 500;

export interface RunningProcess {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
}

export class Supervisor {
  readonly #processes: ManagedProcess[] = [];
  readonly #onChange: (running: readonly RunningProcess[]) => void;
  readonly #stopping = new Set<ManagedProcess>();
  readonly #abort = new AbortController();
  /** What ended by itself, in order: `postgres (pid 5) ended: killed by SIGKILL`, by the name of the process. */
  readonly #ended = new Map<string, string>();

  constructor(onChange: (running: readonly RunningProcess[]) => void) {
    this.#onChange = onChange;
  }

  /** Starts a process and waits until it is ready. From then on it is restarted when it ends. */
  async start(spec: ProcessSpec): Promise<void> {
    this.#abort.signal.throwIfAborted();
    const managed = new ManagedProcess(spec);
    this.#processes.push(managed);
    managed.launch();
    this.#notify();
    await managed.ready();
    void this.#watch(managed);
  }

  /**
   * Does work that needs the named processes. If it fails after one of them has ended, the error says which one, because that is the
   * cause; what a client says of a lost connection is not.
   * @throws CommandError in that case, else the error of the work
   */
  async whileRunning<Result>(names: readonly string[], work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      const needed = this.#processes.filter((managed) => names.includes(managed.spec.name) && !this.#stopping.has(managed));
      // A lost connection is noticed before the end of the process.
      await Promise.race([sleep(noticedWithinMs), ...needed.map((managed) => managed.exited)]);
      const lost = needed.find((managed) => this.#ended.has(managed.spec.name) || !managed.isRunning());
      if (!lost || this.#abort.signal.aborted) throw error;
      const { name, logFile } = lost.spec;
      const [consequence] = (error instanceof Error ? error.message : String(error)).split('\n');
      const end = this.#ended.get(name) ?? `${name} ended: ${describeExit(await lost.exited)}`;
      throw new CommandError(
        `${end}, while others were starting that need it (${consequence}). The last lines of ${logFile}:\n${lastLines(logFile)}`,
        { cause: error },
      );
    }
  }

  /** Stops the matching processes for good. Nothing is started or restarted any more. */
  async stop(matches: (name: string) => boolean): Promise<void> {
    this.#abort.abort(new Error('stopping'));
    const matching = this.#processes.filter((managed) => matches(managed.spec.name));
    for (const managed of matching) this.#stopping.add(managed);
    await Promise.all(matching.map((managed) => managed.stop()));
    this.#notify();
  }

  /** Restarts the matching processes for changed code, and waits until they are ready. Throws CommandError when one is not. */
  async restart(matches: (name: string) => boolean): Promise<void> {
    await Promise.all(this.#processes.filter(({ spec }) => matches(spec.name)).map((managed) => this.#restart(managed)));
  }

  async #restart(managed: ManagedProcess): Promise<void> {
    this.#stopping.add(managed);
    await managed.stop();
    this.#stopping.delete(managed);
    managed.launch();
    this.#notify();
    void this.#watch(managed);
    await managed.ready();
  }

  killAll(): void {
    for (const managed of this.#processes) {
      this.#stopping.add(managed);
      managed.signal('SIGKILL');
    }
  }

  async #watch(managed: ManagedProcess): Promise<void> {
    const delay = new RestartDelay();
    for (;;) {
      const started = performance.now();
      const pid = managed.pid;
      const exit = await managed.exited;
      if (this.#stopping.has(managed)) return;
      const delayMs = delay.after({ exit, wasReady: managed.wasReady, ranMs: performance.now() - started });
      const end = `${managed.spec.name} (pid ${pid ?? '?'}) ended: ${describeExit(exit)}`;
      this.#ended.set(managed.spec.name, end);
      printError(`${end}. Starting it again ${delayMs === 0 ? 'now' : `in ${delayMs} ms`}; its log: ${managed.spec.logFile}`);
      this.#notify();
      await sleep(delayMs);
      // A restart for changed code came first: it watches what it has started.
      if (managed.isRunning()) return;
      if (this.#stopping.has(managed) || this.#abort.signal.aborted) return;
      managed.launch();
      this.#notify();
      this.#announceReady(managed);
    }
  }

  #announceReady(managed: ManagedProcess): void {
    const started = performance.now();
    const pid = managed.pid;
    managed.ready().then(
      () => {
        print(`${managed.spec.name} is back (pid ${pid ?? '?'}) after ${formatSeconds(performance.now() - started)}`);
      },
      // It ended again, which the watch reports, or it hangs, which its log shows.
      () => undefined,
    );
  }

  #notify(): void {
    try {
      this.#onChange(this.#processes.flatMap(({ pid, spec: { name, port } }) => (pid === undefined ? [] : [{ name, pid, port }])));
    } catch (error) {
      // Such as on a full disk. Without a list the processes still run, and are stopped in order.
      printError(`what runs could not be listed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

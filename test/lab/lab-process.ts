import { ManagedProcess, type Exit, type ProcessSpec } from '../../scripts/managed-process.js';

/** A gateway or a worker of a lab. Nobody starts it again but the test. */
export class LabProcess {
  readonly name: string;
  readonly url: string;
  readonly logFile: string;
  readonly #process: ManagedProcess;

  constructor(spec: ProcessSpec) {
    this.name = spec.name;
    this.url = `http://127.0.0.1:${spec.port}`;
    this.logFile = spec.logFile;
    this.#process = new ManagedProcess(spec);
  }

  /** Undefined while it does not run. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Settles when the process that runs now has ended. */
  get exited(): Promise<Exit> {
    return this.#process.exited;
  }

  /** Starts it and waits until it is ready. */
  async start(): Promise<void> {
    await this.#process.start();
  }

  /** SIGKILL: nothing is tidied up. */
  async kill(): Promise<Exit> {
    this.#process.signal('SIGKILL');
    return this.#process.exited;
  }

  /** SIGTERM: gives its exit, and how long it took. */
  async stop(): Promise<Exit & { readonly ms: number }> {
    const started = performance.now();
    await this.#process.stop();
    return { ...(await this.#process.exited), ms: performance.now() - started };
  }

  /** SIGTERM, then a new process on the same port, ready. */
  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** SIGSTOP: it hangs, with its connections open. */
  pause(): void {
    this.#process.signal('SIGSTOP');
  }

  resume(): void {
    this.#process.signal('SIGCONT');
  }

  /** For the end of a lab; one that hangs is woken first. */
  async end(): Promise<void> {
    if (this.pid === undefined) return;
    this.resume();
    await this.stop();
  }
}

import { FairSlots } from './fair-slots.js';
import type { OnAsk } from './asked.js';
import { SandboxProcess, type ProcessOptions } from './sandbox-process.js';
import type { Functions } from './serve.js';

interface SandboxOptions extends Omit<ProcessOptions, 'memoryMb'> {
  /** Default 256. */
  readonly memoryMb?: number;
  /** How many tasks run at once, default 4. A process is started when it is needed first, and then kept. */
  readonly processes?: number;
  /** How many of them may be one tenant's, default 2. */
  readonly perTenant?: number;
  /** How many tasks of a tenant may wait for longer than half a second, default 8. */
  readonly maxWaiting?: number;
}

interface RunOptions {
  readonly tenant: string;
  /** Ends the task. */
  readonly signal: AbortSignal;
  /**
   * Time of a processor that the task may take; in all it may take ten times as long. Neither its time in the queue nor that in which it waits for
   * what it has asked counts.
   */
  readonly timeMs: number;
  /** Called with what the function reports. */
  readonly onProgress?: (value: unknown) => void;
  /**
   * Does what the function asks, several things at once where it asks so, and gives the replies. The signal ends with the task. What it throws ends
   * the task.
   */
  readonly onAsk?: OnAsk;
  /** Called before the result with the time of `timeMs` that the task took. */
  readonly onSpent?: (ms: number) => void;
}

export type Input<Run> = Run extends (input: infer Given, ...rest: never) => unknown ? Given : never;

async function refuse(): Promise<never> {
  throw new Error('nobody does what this task asks');
}

/** Runs functions of texts in processes of their own. Inputs and results are copied as by `structuredClone`. */
export class Sandbox<Available extends Functions> {
  readonly #options: ProcessOptions;
  readonly #slots: FairSlots;
  readonly #processes = new Set<SandboxProcess>();
  readonly #idle: SandboxProcess[] = [];
  #isClosed = false;

  constructor({ root, entry, memoryMb = 256, processes = 4, perTenant = 2, maxWaiting = 8 }: SandboxOptions) {
    this.#options = { root, entry, memoryMb };
    this.#slots = new FairSlots({ total: processes, perTenant, maxWaiting, patienceMs: 500 });
  }

  /**
   * Waits for a slot and runs the function.
   * @throws OverLimit, TooManyWaiting, the reason of the signal, or Error for what the function throws
   */
  async run<Name extends keyof Available & string>(
    name: Name,
    input: Input<Available[Name]>,
    { tenant, signal, timeMs, onProgress = () => undefined, onSpent = () => undefined, onAsk = refuse }: RunOptions,
  ): Promise<Awaited<ReturnType<Available[Name]>>> {
    using _slot = await this.#slots.acquire(tenant, signal);
    if (this.#isClosed) throw new Error(`the sandbox of ${this.#options.entry} is closed`);
    const process = this.#takeIdle() ?? this.#start();
    try {
      // The process runs the function of this name from the same build.
      return (await process.run({ name, input, timeMs }, { signal, onProgress, onSpent, onAsk })) as Awaited<ReturnType<Available[Name]>>;
    } finally {
      if (process.isAlive && !process.isLarge) this.#idle.push(process);
      else {
        process.kill();
        this.#processes.delete(process);
        // The next task does not wait for its start.
        if (!this.#isClosed) this.#idle.push(this.#start());
      }
    }
  }

  /** Kills the processes. */
  close(): void {
    this.#isClosed = true;
    for (const process of this.#processes) process.kill();
  }

  #takeIdle(): SandboxProcess | undefined {
    for (let process = this.#idle.pop(); process; process = this.#idle.pop()) {
      if (process.isAlive) return process;
      this.#processes.delete(process);
    }
    return undefined;
  }

  #start(): SandboxProcess {
    const process = new SandboxProcess(this.#options);
    this.#processes.add(process);
    return process;
  }
}

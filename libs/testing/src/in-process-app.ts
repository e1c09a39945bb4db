import { AppProcess, type Environment } from './app-process.js';
import { shiftDate } from './clock/shift-date.js';

/** A gateway or worker that runs in this process. */
export interface RunningApp {
  readonly url: string;
  readonly close: () => Promise<void>;
}

export interface AppToStart {
  /** Its built entry, such as `dist/apps/gateway/src/main.js`. */
  readonly main: string;
  readonly env: Environment;
  /** Takes the lines of its log. */
  readonly log: { readonly write: (line: string) => void };
}

/** Starts an app in this process. */
export type StartInProcess = (app: AppToStart) => Promise<RunningApp>;

interface InProcessOptions {
  readonly main: string;
  readonly env: () => Environment;
  readonly start: StartInProcess;
}

/**
 * An app as `AppProcess` has it, in the process of the test: it takes a third of the processor's time to start. Nobody can kill or pause it,
 * its clock is that of the test, and it prints nothing but its log.
 */
export class InProcessApp extends AppProcess {
  readonly #own: InProcessOptions;
  #running: RunningApp | null = null;
  /** Started again it keeps its address. */
  #port = '0';
  readonly #lines: string[] = [];

  constructor(options: InProcessOptions) {
    super({ root: process.cwd(), main: options.main, env: options.env, logFile: '/dev/null' });
    this.#own = options;
  }

  override get url(): string {
    return this.#running?.url ?? '';
  }

  override get isRunning(): boolean {
    return this.#running !== null;
  }

  /** The lines of its log. */
  override get printed(): string {
    return this.#lines.join('');
  }

  override get startMs(): number | null {
    throw apart('how long it starts');
  }

  override get exited(): Promise<number | string> {
    throw apart('how it exits');
  }

  override async start(own: Environment = {}): Promise<this> {
    const { main, env, start } = this.#own;
    const log = { write: (line: string) => void this.#lines.push(line) };
    this.#running = await start({ main, env: { PORT: this.#port, HEALTH_PORT: this.#port, ...env(), ...own }, log });
    this.#port = new URL(this.url).port;
    return this;
  }

  override launch(): void {
    throw apart('a launch without an end');
  }

  override signal(signal: NodeJS.Signals): void {
    throw apart(signal);
  }

  /** Moves what this process reads from `Date`, the test included. */
  override async moveClock(offsetMs: number): Promise<void> {
    shiftDate(offsetMs);
  }

  override async restart(): Promise<void> {
    throw apart('another start');
  }

  override async stop(): Promise<number> {
    const running = this.#running;
    this.#running = null;
    await running?.close();
    return 0;
  }
}

function apart(what: string): Error {
  return new Error(`${what} needs a process: start this system without inProcess`);
}

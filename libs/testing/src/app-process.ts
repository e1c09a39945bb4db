// One process of the product, started from its built files as `npm start` does, with everything it prints kept in a file.
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { z } from 'zod';
import { Succession } from '#lib/platform';
import { clockVariable, isMove } from './clock/messages.js';
import { eventually } from './eventually.js';

interface AppOptions {
  /** Folder that holds `dist` and `node_modules`. A function is called at every start: a process may come back as another build. */
  readonly root: string | (() => string);
  /** Built entry under the root, such as `dist/apps/gateway/src/main.js`. */
  readonly main: string;
  /** A function is called at every start: addresses of other processes may be known only then. */
  readonly env: Environment | (() => Environment);
  /** File for its output. A restarted process appends to it. */
  readonly logFile: string;
  /** Further options of Node, before the entry. */
  readonly nodeOptions?: readonly string[];
  /** Whether it is told which processes before it have ended, as by `npm start`. Default true. */
  readonly isTold?: boolean;
}

export type Environment = Readonly<Record<string, string>>;

const readyWithinMs = 60_000;
const clockWithinMs = 10_000;
/** From this build, also for processes of another build. */
const clockPreload = join(process.cwd(), 'dist/libs/testing/src/clock/preload.js');
/** Timeout in ms for hooks that start systems on a busy machine. */
export const startTimeoutMs = 90_000;
/** Of tests, a start takes an eighth less of the processor with it. What is measured starts as in production, without. */
function compileCache(): string | undefined {
  const { NODE_COMPILE_CACHE: given, JEST_WORKER_ID: jestWorker } = process.env;
  return given ?? (jestWorker && join(process.cwd(), 'node_modules/.cache/node-compile'));
}

const logLine = z.looseObject({ level: z.string(), name: z.string(), event: z.string().optional() });
export type LogLine = z.infer<typeof logLine>;
const readyLine = logLine.extend({ event: z.literal('ready'), address: z.string() });

export class AppProcess implements AsyncDisposable {
  readonly #options: AppOptions;
  #child: ChildProcess | null = null;
  #url = '';
  #exited: Promise<number | string> = Promise.resolve(0);
  #clockOffsetMs = 0;
  #startMs: number | null = null;
  readonly #succession = new Succession();

  constructor(options: AppOptions) {
    this.#options = options;
  }

  /** Its address, known when it is ready. Empty before. */
  get url(): string {
    return this.#url;
  }

  /** How long its last start took, from the spawn until it said that it is ready; null before. */
  get startMs(): number | null {
    return this.#startMs;
  }

  /** Undefined while it does not run. */
  get pid(): number | undefined {
    return this.isRunning ? this.#child?.pid : undefined;
  }

  get logFile(): string {
    return this.#options.logFile;
  }

  /** Exit code, or the signal that ended it. */
  get exited(): Promise<number | string> {
    return this.#exited;
  }

  get isRunning(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Everything it has printed so far, restarts included. */
  get printed(): string {
    return existsSync(this.logFile) ? readFileSync(this.logFile, 'utf8') : '';
  }

  /** Its structured log lines. */
  logs(): readonly LogLine[] {
    return this.printed
      .split('\n')
      .slice(0, -1)
      .filter((line) => line.startsWith('{'))
      .map((line) => logLine.parse(JSON.parse(line)));
  }

  /**
   * Starts it and waits until it says that it is ready. Started again it keeps its address.
   * @param env settings for this start only
   */
  async start(env: Environment = {}): Promise<this> {
    const before = this.printed.length;
    const launchedAt = performance.now();
    this.launch(env);
    const ready = await eventually(() => this.#readyAfter(before) ?? !this.isRunning, {
      withinMs: readyWithinMs,
      what: `${this.#options.main} ready`,
    });
    if (ready === true)
      throw new Error(`${this.#options.main} ended while starting (${await this.#exited}):\n${this.printed.slice(before)}`);
    this.#startMs = performance.now() - launchedAt;
    this.#url = ready.address;
    return this;
  }

  /** Starts it without waiting for it to be ready: for processes that are expected to end at once. */
  launch(own: Environment = {}): void {
    const { root, main, env, logFile, nodeOptions = [], isTold = true } = this.#options;
    const port = this.#url ? new URL(this.#url).port : '0';
    const log = openSync(logFile, 'a');
    const successor = this.#succession.next();
    const child = spawn(
      process.execPath,
      [...nodeOptions, '--import', clockPreload, '--import', '#source-maps', '--import', '#telemetry', main],
      {
        cwd: typeof root === 'function' ? root() : root,
        env: {
          PATH: process.env['PATH'],
          NODE_COMPILE_CACHE: compileCache(),
          PORT: port,
          HEALTH_PORT: port,
          [clockVariable]: String(this.#clockOffsetMs),
          ...(typeof env === 'function' ? env() : env),
          ...(isTold && successor.env),
          ...own,
        },
        // The process ends itself when the channel closes, so it does not outlive the test run.
        stdio: ['ignore', log, log, 'ipc'],
        // A Ctrl-C is for the run, which may still want to ask its processes.
        detached: true,
      },
    );
    closeSync(log);
    this.#child = child;
    this.#exited = new Promise((resolve) =>
      child.once('exit', (code, signal) => {
        successor.onEnded();
        resolve(code ?? signal ?? 'unknown');
      }),
    );
  }

  signal(signal: NodeJS.Signals): void {
    if (this.isRunning) this.#child?.kill(signal);
  }

  /**
   * Moves what it reads from `Date`, now and when it is started again.
   * @param offsetMs added to the real time
   */
  async moveClock(offsetMs: number): Promise<void> {
    this.#clockOffsetMs = offsetMs;
    const child = this.#child;
    if (!child || !this.isRunning) return;
    const signal = AbortSignal.timeout(clockWithinMs);
    child.send({ clockOffsetMs: offsetMs });
    for (let moved = false; !moved;) {
      const [answer]: unknown[] = await once(child, 'message', { signal });
      moved = isMove(answer) && answer.clockOffsetMs === offsetMs;
    }
  }

  /** Sends SIGKILL and waits for the end. */
  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.#exited;
  }

  /** Asks it to stop, and starts it again at its address. */
  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Asks it to stop and waits for it; one that does not within the bound is killed. */
  async stop(withinMs = 30_000): Promise<number | string> {
    this.signal('SIGCONT');
    this.signal('SIGTERM');
    const timer = setTimeout(() => this.signal('SIGKILL'), withinMs);
    const exit = await this.#exited;
    clearTimeout(timer);
    return exit;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #readyAfter(place: number): z.infer<typeof readyLine> | null {
    for (const line of this.printed.slice(place).split('\n')) {
      if (!line.includes('"event":"ready"') || !line.endsWith('}')) continue;
      return readyLine.parse(JSON.parse(line));
    }
    return null;
  }
}

// One process of the product, started from its built files as `npm start` does, with everything it prints kept.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { z } from 'zod';
import { clockVariable, isMove } from './clock/messages.js';
import { eventually } from './eventually.js';

interface AppOptions {
  /** Folder that holds `dist` and `node_modules`. */
  readonly root: string;
  /** Built entry under the root, such as `dist/apps/gateway/src/main.js`. */
  readonly main: string;
  /** A function is asked at every start: what it names may be known only then. */
  readonly env: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>>);
}

const readyWithinMs = 60_000;
const clockWithinMs = 10_000;
/** Of this build, also for a process of another one: what is tested is that other product, with our clock. */
const clockPreload = join(process.cwd(), 'dist/libs/testing/src/clock/preload.js');
/** For the hooks that start systems: a busy machine takes its time. */
export const startTimeoutMs = 90_000;
const logLine = z.looseObject({ level: z.string(), name: z.string(), event: z.string().optional() });
export type LogLine = z.infer<typeof logLine>;
const readyLine = logLine.extend({ event: z.literal('ready'), address: z.string() });

export class AppProcess implements AsyncDisposable {
  readonly #options: AppOptions;
  #child: ChildProcess | null = null;
  #printed = '';
  #url = '';
  #exited: Promise<number | string> = Promise.resolve(0);
  #clockOffsetMs = 0;

  constructor(options: AppOptions) {
    this.#options = options;
  }

  /** Where it answers, known once it is ready. */
  get url(): string {
    return this.#url;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Exit code, or the signal that ended it. */
  get exited(): Promise<number | string> {
    return this.#exited;
  }

  get isRunning(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Everything it has printed so far, over all its lives. */
  get printed(): string {
    return this.#printed;
  }

  /** Its structured log lines. */
  logs(): readonly LogLine[] {
    return this.#printed
      .split('\n')
      .slice(0, -1)
      .filter((line) => line.startsWith('{'))
      .map((line) => logLine.parse(JSON.parse(line)));
  }

  /**
   * Starts it and waits until it says that it is ready. Started again it keeps its address.
   * @param env settings of this life alone
   */
  async start(env: Readonly<Record<string, string>> = {}): Promise<this> {
    const before = this.#printed.length;
    this.launch(env);
    const ready = await eventually(() => this.#readyAfter(before) ?? !this.isRunning, {
      withinMs: readyWithinMs,
      what: `${this.#options.main} ready`,
    });
    if (ready === true)
      throw new Error(`${this.#options.main} ended while starting (${await this.#exited}):\n${this.#printed.slice(before)}`);
    this.#url = ready.address;
    return this;
  }

  /** Starts it without waiting: for those that are expected to end at once. */
  launch(own: Readonly<Record<string, string>> = {}): void {
    const { root, main, env } = this.#options;
    const port = this.#url ? new URL(this.#url).port : '0';
    const child = spawn(process.execPath, ['--import', clockPreload, '--import', '#source-maps', '--import', '#telemetry', main], {
      cwd: root,
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        PORT: port,
        HEALTH_PORT: port,
        [clockVariable]: String(this.#clockOffsetMs),
        ...(typeof env === 'function' ? env() : env),
        ...own,
      },
      // With the channel it notices when the test run dies, and ends itself.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => void (this.#printed += text));
    this.#exited = new Promise((resolve) => child.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown')));
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

  /** Ends it without warning. */
  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.#exited;
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
    for (const line of this.#printed.slice(place).split('\n')) {
      if (!line.includes('"event":"ready"') || !line.endsWith('}')) continue;
      return readyLine.parse(JSON.parse(line));
    }
    return null;
  }
}

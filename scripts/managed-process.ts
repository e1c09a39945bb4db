// One operating-system process of ours: started until it is ready, stopped within a bound. What starts it again after a crash is
// the supervisor; what a test does with it is the test's business.
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError } from '#lib/command-line';

export interface ProcessSpec {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly port: number;
  readonly logFile: string;
  /** Whether it is a Node program of ours, which leaves by itself when its parent is gone. */
  readonly isNode: boolean;
  /** How long it may take to stop before it is killed. */
  readonly stopMs: number;
  readonly isReady: () => Promise<boolean>;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const readyWithinMs = 60_000;
/** Asking takes processor time from what is starting. */
const pollMs = 150;
const rotateAtBytes = 20 * 1024 * 1024;

export class ManagedProcess {
  readonly spec: ProcessSpec;
  #child: ChildProcess | undefined;
  #exited: Promise<Exit> = Promise.resolve({ code: null, signal: null });

  constructor(spec: ProcessSpec) {
    this.spec = spec;
  }

  /** Undefined while it does not run. */
  get pid(): number | undefined {
    return this.isRunning() ? this.#child?.pid : undefined;
  }

  /** Settles when the process that runs now has ended. */
  get exited(): Promise<Exit> {
    return this.#exited;
  }

  isRunning(): boolean {
    // One that could not even be started has no pid.
    return this.#child?.pid !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  launch(): void {
    const { command, args, env, cwd, logFile, isNode } = this.spec;
    mkdirSync(dirname(logFile), { recursive: true });
    if (existsSync(logFile) && statSync(logFile).size > rotateAtBytes) renameSync(logFile, `${logFile}.1`);
    const log = openSync(logFile, 'a');
    // A group of its own: Ctrl-C in the terminal reaches the supervisor alone, which then stops things in order.
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      detached: true,
      stdio: ['ignore', log, log, ...(isNode ? ['ipc' as const] : [])],
    });
    closeSync(log);
    this.#child = child;
    this.#exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        resolve({ code, signal });
      });
      child.once('error', () => {
        resolve({ code: 127, signal: null });
      });
    });
  }

  async start(): Promise<void> {
    this.launch();
    await this.ready();
  }

  /** Waits until the running process answers; fails at once when it ends instead. */
  async ready(): Promise<void> {
    const { name, logFile, isReady } = this.spec;
    const ended = this.#exited.then((exit) => exit);
    const deadline = performance.now() + readyWithinMs;
    while (!(await isReady())) {
      const exit = await Promise.race([ended, sleep(pollMs, null)]);
      if (exit) throw new CommandError(`${name} ended while starting (${reason(exit)}). The last lines of ${logFile}:\n${tail(logFile)}`);
      if (performance.now() > deadline)
        throw new CommandError(`${name} was not ready after ${readyWithinMs / 1_000} s. The last lines of ${logFile}:\n${tail(logFile)}`);
    }
  }

  signal(signal: NodeJS.Signals): void {
    if (this.isRunning()) this.#child?.kill(signal);
  }

  async stop(): Promise<void> {
    if (!this.isRunning()) return;
    this.signal('SIGTERM');
    const timer = setTimeout(() => {
      this.signal('SIGKILL');
    }, this.spec.stopMs);
    await this.#exited;
    clearTimeout(timer);
  }
}

export function reason({ code, signal }: Exit): string {
  return signal ? `killed by ${signal}` : `exit code ${code}`;
}

/** Its last words. */
export function tail(logFile: string): string {
  return readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-15).join('\n');
}

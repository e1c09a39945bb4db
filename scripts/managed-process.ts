// One child process: started until it is ready, stopped within a time limit. Restarts after a crash are up to the supervisor.
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, copyFileSync, existsSync, mkdirSync, openSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError, printError } from '#lib/command-line';
import { Succession } from '#lib/platform';

export interface ProcessSpec {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly port: number;
  readonly logFile: string;
  /** True for a Node program of this project: it has an IPC channel and exits when its parent is gone. */
  readonly isNode: boolean;
  /** How long it may take to stop before it is killed. */
  readonly stopMs: number;
  readonly isReady: () => Promise<boolean>;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * For glibc: one heap for all threads of a process, which gives memory back. A fifth of what the processes of a machine hold is free
 * memory otherwise. Other systems ignore it.
 */
const sparingMemory = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072' };
const readyWithinMs = 60_000;
/** Not shorter: each question takes processor time from what is starting. */
const pollMs = 150;
const rotateAtBytes = 20 * 1024 * 1024;
const rotateEveryMs = 60_000;

export class ManagedProcess {
  readonly spec: ProcessSpec;
  #child: ChildProcess | undefined;
  readonly #succession = new Succession();
  #exited: Promise<Exit> = Promise.resolve({ code: null, signal: null });
  #wasReady = false;

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

  /** Whether the process that runs now, or ran last, was seen to answer. */
  get wasReady(): boolean {
    return this.#wasReady;
  }

  isRunning(): boolean {
    // A process that could not be started has no pid.
    return this.#child?.pid !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  launch(): void {
    const { command, args, env, cwd, logFile, isNode } = this.spec;
    mkdirSync(dirname(logFile), { recursive: true });
    rotate(logFile);
    const log = openSync(logFile, 'a');
    const successor = this.#succession.next();
    // In a process group of its own: Ctrl-C in the terminal reaches the supervisor alone, which stops everything in order.
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...sparingMemory, ...env, ...successor.env },
      detached: true,
      stdio: ['ignore', log, log, ...(isNode ? ['ipc' as const] : [])],
    });
    closeSync(log);
    this.#child = child;
    this.#wasReady = false;
    const rotating = setInterval(() => rotate(logFile), rotateEveryMs).unref();
    this.#exited = new Promise<Exit>((resolve) => {
      child.once('exit', (code, signal) => {
        successor.onEnded();
        resolve({ code, signal });
      });
      child.once('error', () => {
        resolve({ code: 127, signal: null });
      });
    }).finally(() => clearInterval(rotating));
  }

  async start(): Promise<void> {
    this.launch();
    await this.ready();
  }

  /** Waits until the running process answers; fails at once when it ends instead. */
  async ready(): Promise<void> {
    const { name, logFile, isReady } = this.spec;
    const child = this.#child;
    const ended = this.#exited.then((exit) => exit);
    const deadline = performance.now() + readyWithinMs;
    while (!(await isReady())) {
      const exit = await Promise.race([ended, sleep(pollMs, null)]);
      if (exit)
        throw new CommandError(
          `${name} ended while starting (${describeExit(exit)}). The last lines of ${logFile}:\n${lastLines(logFile)}`,
        );
      if (performance.now() > deadline)
        throw new CommandError(
          `${name} was not ready after ${readyWithinMs / 1_000} s. The last lines of ${logFile}:\n${lastLines(logFile)}`,
        );
    }
    // The next one may have been launched while this one was asked.
    if (this.#child === child) this.#wasReady = true;
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

/** Keeps the text of a log that is too large beside it, and begins it anew in place: its writers go on at the end of the file. */
function rotate(logFile: string): void {
  try {
    if (!existsSync(logFile) || statSync(logFile).size <= rotateAtBytes) return;
    copyFileSync(logFile, `${logFile}.1`);
    truncateSync(logFile);
  } catch (error) {
    // Such as on a full disk. The processes go on, and it is tried again.
    printError(`${logFile} is too large and could not be begun anew: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Why a process ended, in words. */
export function describeExit({ code, signal }: Exit): string {
  return signal ? `killed by ${signal}` : `exit code ${code}`;
}

/** The last 15 lines of a log. */
export function lastLines(logFile: string): string {
  return readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-15).join('\n');
}

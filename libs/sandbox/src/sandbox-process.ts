import { fork, type ChildProcess } from 'node:child_process';
import { existsSync, globSync, realpathSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { Asked, type OnAsk } from './asked.js';
import { OverLimit } from './errors.js';
import type { ProcessMessage, Order, Task } from './messages.js';
import { usageOf } from './process-usage.js';

export interface ProcessOptions {
  /** The folder that contains `dist` and `node_modules`. */
  readonly root: string;
  /** The built entry under the root, which calls `serve`. */
  readonly entry: string;
  /** Of the heap, and on Linux of the whole process beside its code. */
  readonly memoryMb: number;
}

export interface TaskWatch {
  readonly signal: AbortSignal;
  readonly onProgress: (value: unknown) => void;
  readonly onSpent: (processorMs: number) => void;
  readonly onAsk: OnAsk;
}

/** Code, libraries and the young generation of the heap. */
const baseMemoryMb = 192;
const checkMs = 100;
/** How much longer than its processor time a task may take in all, on a machine that is busy with other work. */
const patience = 10;
/** Above 0 is below normal, at most 19: calls that wait for the processor come before texts that occupy it. */
const priority = 5;
const stderrChars = 2_000;

/** What a process reads below the root, also where it is a link: as in a container, or where two versions share their packages. */
function placesBelow(root: string): readonly string[] {
  const places = ['dist', 'node_modules', 'package.json'].map((name) => join(root, name)).filter((path) => existsSync(path));
  return [...new Set(places.flatMap((path) => [path, realpathSync(path)]))];
}

/**
 * Where the product is itself installed as a package, the packages that it needs stand beside it: some package managers put links there, whose
 * targets need packages beside them in turn. So all of each `node_modules` is readable that holds one of them.
 */
function packagesBeside(root: string): readonly string[] {
  const folder = dirname(resolve(root));
  if (basename(folder) !== 'node_modules') return [];
  const places = globSync(['*', '@*/*'], { cwd: folder }).map((name) => realpathSync(join(folder, name)));
  return [...new Set([folder, ...places.map(outermostModules)])];
}

function outermostModules(path: string): string {
  const name = `${sep}node_modules`;
  return path.includes(name) ? path.slice(0, path.indexOf(name) + name.length) : path;
}

/** A process that runs one task at a time, and does not outlive a task that is over its limits or cancelled. */
export class SandboxProcess {
  readonly #options: ProcessOptions;
  readonly #child: ChildProcess;
  readonly #ready: Promise<void>;
  readonly #ended: Promise<string>;
  #stderrTail = '';

  constructor(options: ProcessOptions) {
    this.#options = options;
    const { root, entry, memoryMb } = options;
    const readable = [...placesBelow(root), ...packagesBeside(root)];
    const child = fork(join(root, entry), [], {
      env: {},
      cwd: root,
      execArgv: ['--permission', ...readable.map((path) => `--allow-fs-read=${path}`), `--max-old-space-size=${memoryMb}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child = child;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => void (this.#stderrTail = (this.#stderrTail + text).slice(-stderrChars)));
    this.#ended = new Promise((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('close', (code, by) => resolve(by ?? `code ${code}`));
    });
    this.#ready = new Promise((resolve) => child.once('message', () => resolve()));
    if (child.pid !== undefined) setPriority(child.pid, priority);
  }

  get isAlive(): boolean {
    return this.#child.pid !== undefined && this.#child.connected && this.#child.exitCode === null && !this.#child.killed;
  }

  /** It has kept so much of an earlier task that a later one may have too little: a memory of WebAssembly never shrinks. */
  get isLarge(): boolean {
    return (usageOf(this.#child.pid)?.memoryMb ?? 0) > (this.#options.memoryMb + baseMemoryMb) / 2;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** @throws OverLimit, the reason of the signal, or Error for a fault of ours; the process is dead then, except after such a fault */
  async run(task: Task, { signal, onProgress, onSpent, onAsk }: TaskWatch): Promise<unknown> {
    const { promise: stopped, reject: stop } = Promise.withResolvers<never>();
    const onAbort = (): void => stop(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    const ended = this.#ended.then((how) => {
      throw this.#errorOf(how);
    });
    let check: NodeJS.Timeout | undefined;
    using asked = new Asked(onAsk);
    try {
      await Promise.race([this.#ready, stopped, ended]);
      const before = usageOf(this.#child.pid);
      const startedAt = performance.now();
      const overTime = (): void => stop(new OverLimit('time', `${Math.round(task.timeMs / 100) / 10} s`));
      const inAllMs = task.timeMs * (before ? patience : 1);
      check = setInterval(() => {
        if (performance.now() - startedAt - asked.waitedMs > inAllMs) overTime();
        const now = usageOf(this.#child.pid);
        if (!before || !now) return;
        if (now.processorMs - before.processorMs > task.timeMs) overTime();
        if (now.memoryMb > this.#options.memoryMb + baseMemoryMb) stop(this.#overMemory());
      }, checkMs);
      const result = await Promise.race([this.#answer(task, { onProgress, asked }), stopped, ended]);
      const after = usageOf(this.#child.pid);
      onSpent(before && after ? after.processorMs - before.processorMs : performance.now() - startedAt);
      return result;
    } catch (error) {
      if (!(error instanceof TaskFailed)) this.kill();
      throw error;
    } finally {
      clearInterval(check);
      signal.removeEventListener('abort', onAbort);
      this.#child.removeAllListeners('message');
      // Those that have lost the race.
      stopped.catch(() => undefined);
      ended.catch(() => undefined);
    }
  }

  #answer(task: Task, { onProgress, asked }: Pick<TaskWatch, 'onProgress'> & { readonly asked: Asked }): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const tell = (order: Order): void => void this.#child.send(order, (error) => error && reject(error));
      this.#child.on('message', (answer: ProcessMessage) => {
        if (answer.kind === 'progress') onProgress(answer.value);
        else if (answer.kind === 'done') resolve(answer.value);
        else if (answer.kind === 'failed') reject(new TaskFailed(`${task.name} failed in its process: ${answer.stack}`));
        else if (answer.kind === 'ask')
          asked.reply(answer.value).then((reply) => reply && tell({ kind: 'reply', id: answer.id, ...reply }), reject);
      });
      tell({ kind: 'task', ...task });
    });
  }

  #errorOf(how: string): Error {
    // V8 aborts when its heap is full.
    if (how === 'SIGABRT' || how === 'code 134') return this.#overMemory();
    return new Error(`the process of ${this.#options.entry} ended (${how}): ${this.#stderrTail}`);
  }

  #overMemory(): OverLimit {
    return new OverLimit('memory', `${this.#options.memoryMb} MB`);
  }
}

/** The function threw: a fault of ours, and the process is well. */
class TaskFailed extends Error {}

// Checks all types beside what runs. What is wrong is printed; nothing waits for it.
import { spawn, type ChildProcess } from 'node:child_process';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { formatSeconds, print, printError } from '#lib/command-line';

const options = ['-p', 'tsconfig.json', '--noEmit', '--incremental', '--tsBuildInfoFile'];
/** Below the apps, which restart at the same time. */
const priority = 5;

interface TypeCheckParts {
  /** The folder of tsconfig.json. */
  readonly project: string;
  /** The file of TypeScript's compiler. */
  readonly compiler: string;
  /** The folder in which it keeps what it knows of unchanged files. */
  readonly records: string;
}

export class TypeCheck {
  readonly #parts: TypeCheckParts;
  #running: ChildProcess | undefined;

  constructor(parts: TypeCheckParts) {
    this.#parts = parts;
  }

  /** Begins anew; one that still runs is of no use any more. */
  start(): void {
    this.stop();
    const started = performance.now();
    const { project, compiler, records } = this.#parts;
    const check = spawn(process.execPath, [compiler, ...options, join(records, 'types.tsbuildinfo')], {
      cwd: project,
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    if (check.pid !== undefined) setPriority(check.pid, priority);
    this.#running = check;
    let output = '';
    check.stdout.on('data', (text: Buffer) => (output += text.toString()));
    check.once('close', (code) => {
      if (this.#running !== check) return;
      const took = formatSeconds(performance.now() - started);
      if (code === 0) print(`Types are right (${took}).`);
      else printError(`${output.trimEnd()}\nTypes are wrong (${took}); everything runs all the same.`);
    });
  }

  stop(): void {
    const { pid, exitCode, signalCode } = this.#running ?? {};
    // The compiler is a child of the process that was started: both are in its group.
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGTERM');
    this.#running = undefined;
  }
}

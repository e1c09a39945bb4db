// Checks all types beside the running apps. What is wrong is printed; nothing waits for it.
import { spawn, type ChildProcess } from 'node:child_process';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { formatSeconds, print, printError, root } from '#lib/command-line';

const args = ['node_modules/typescript7/bin/tsc', '-p', 'tsconfig.json', '--noEmit', '--pretty', '--incremental', '--tsBuildInfoFile'];
/** Below the apps, which restart at the same time. */
const priority = 5;

export class TypeCheck {
  readonly #record: string;
  readonly #project: string;
  #running: ChildProcess | undefined;

  /** @param folder where it keeps what it knows of unchanged files @param project the folder of tsconfig.json */
  constructor(folder: string, project = root) {
    this.#record = join(folder, 'types.tsbuildinfo');
    this.#project = project;
  }

  /** Begins anew; one that still runs is of no use any more. */
  start(): void {
    this.stop();
    const started = performance.now();
    const check = spawn(process.execPath, [...args, this.#record], {
      cwd: this.#project,
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
      else printError(`${output.trimEnd()}\nTypes are wrong (${took}); the apps run all the same.`);
    });
  }

  stop(): void {
    const { pid, exitCode, signalCode } = this.#running ?? {};
    // The compiler is a child of the process that was started: both are in its group.
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGTERM');
    this.#running = undefined;
  }
}

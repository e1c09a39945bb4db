// The folder that holds all state of a local run. One supervisor at a time may use it.
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { callerFolder, CommandError, isClone, root, startCommand, stopCommand } from '#lib/command-line';
import { isSupervisor } from './leftovers.js';

export class DataDir {
  readonly path: string;

  constructor(path = process.env['INVOQ_DATA_DIR'] || join(root, '.data')) {
    this.path = resolve(root, path);
    try {
      makeFolder(this.path);
    } catch (error) {
      throw this.#unusable(error);
    }
  }

  /** What stops what runs on this folder: where it is not the usual one, the command has to be told. */
  get stopCommand(): string {
    return this.isUsual ? stopCommand : `INVOQ_DATA_DIR=${this.path} ${stopCommand}`;
  }

  /** Whether commands take this folder without being told. */
  get isUsual(): boolean {
    return this.path === join(isClone ? root : callerFolder(), '.data');
  }

  file(...names: readonly string[]): string {
    return join(this.path, ...names);
  }

  logFile(name: string): string {
    return this.file('logs', `${name}.log`);
  }

  /** Throws CommandError when another supervisor runs on the folder. The returned function unlocks it. */
  lock(): () => void {
    const file = this.file('supervisor.pid');
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
    } catch (error) {
      if (!isTaken(error)) throw this.#unusable(error);
      const holder = this.supervisor();
      if (holder !== undefined && holder !== process.pid) {
        throw new CommandError(
          `another start (pid ${holder}) already runs on ${this.path}. Stop it first with ${this.stopCommand}, or use another folder: INVOQ_DATA_DIR=/some/folder ${startCommand}`,
        );
      }
      rmSync(file, { force: true });
      return this.lock();
    }
    return () => {
      // Whoever has deleted the folder may have started anew on it.
      if (this.isLocked) rmSync(file, { force: true });
    };
  }

  /** Whether the lock is still that of this process: not where somebody has deleted the folder, or has locked it anew. */
  get isLocked(): boolean {
    try {
      return readFileSync(this.file('supervisor.pid'), 'utf8') === String(process.pid);
    } catch {
      return false;
    }
  }

  #unusable(error: unknown): CommandError {
    const reason = error instanceof Error ? error.message : String(error);
    return new CommandError(
      `the data cannot be kept in ${this.path} (${reason}). Name a folder that can be written: INVOQ_DATA_DIR=/some/folder ${startCommand}`,
      { cause: error },
    );
  }

  /** The process that runs on this folder; undefined while none does. */
  supervisor(): number | undefined {
    const file = this.file('supervisor.pid');
    const pid = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
    return pid > 0 && isSupervisor(pid) ? pid : undefined;
  }

  readJson(name: string): unknown {
    try {
      return JSON.parse(readFileSync(this.file(name), 'utf8'));
    } catch {
      return undefined;
    }
  }

  /** Readers see the old text or the new one, never a part of it. @param mode of the file; by default only its owner reads it */
  write(name: string, text: string, mode = 0o600): void {
    const file = this.file(name);
    writeFileSync(`${file}.new`, text, { mode });
    chmodSync(`${file}.new`, mode);
    renameSync(`${file}.new`, file);
  }

  readEnv(name: string): NodeJS.Dict<string> {
    try {
      return parseEnv(readFileSync(this.file(name), 'utf8'));
    } catch {
      return {};
    }
  }
}

/** One folder after the other: Node itself never returns where a folder above is there and takes none, as in /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    if (!isTaken(error)) throw error;
  }
}

function isTaken(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'EEXIST';
}

import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from '#lib/command-line';
import { toolsMessage, type ToolsReady } from './tools-message.js';

/** An idle process leaves within this time. */
const leavesWithinMs = 1_000;
/** What runs may take this long to end. */
const endsWithinMs = 25_000;
/** Files that take longer to load wait for something, or loop. */
const loadsWithinMs = 15_000;

interface ToolsPlace {
  readonly project: string;
  readonly folder: string;
  /** Of the gateway. */
  readonly url: string;
  readonly key: string;
}

/** A process that serves a user's tools as their files are now. What it prints goes to the terminal. */
export class ToolsProcess {
  /** Null when it ended before, or takes too long. */
  readonly ready: Promise<ToolsReady | null>;
  readonly #child: ChildProcess;
  /** Resolves when it has ended. */
  readonly exited: Promise<unknown>;
  #isStopping = false;
  #isLoaded = false;

  /** @param onLost called when it ends by itself after it was ready, with why */
  constructor({ project, folder, url, key }: ToolsPlace, onLost: (why: string) => void) {
    const child = (this.#child = fork(join(root, 'dist/scripts/own-tools/main.js'), [folder], {
      cwd: project,
      // Stacks name the user's sources. Frames of packages keep their files: the sources of packages are not there.
      execArgv: ['--import', pathToFileURL(join(root, 'dist/libs/platform/src/source-maps.js')).href],
      env: { ...process.env, INVOQ_URL: url, INVOQ_SERVE_KEY: key },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      // Ctrl-C in the terminal reaches the command alone, which stops everything in order.
      detached: true,
    }));
    this.exited = new Promise((resolve) => child.once('close', resolve));
    const said = new Promise<ToolsReady>((resolve) => {
      child.on('message', (message) => {
        const parsed = toolsMessage.parse(message);
        this.#isLoaded = true;
        if (parsed.kind === 'ready') resolve(parsed);
      });
    });
    this.ready = Promise.race([said, this.exited.then(() => null), this.#tooLate()]);
    void this.ready.then((ready) => {
      if (ready)
        void this.exited.then(() => {
          if (!this.#isStopping) onLost(this.#ended);
        });
    });
  }

  /** Why it serves nothing. */
  get fault(): string {
    const { exitCode, signalCode } = this.#child;
    const isOver = exitCode !== null || signalCode !== null;
    if (this.#isLoaded) return isOver ? `a call has ended the process (${this.#ended})` : 'the gateway does not answer';
    return isOver ? `a file ends the process while it is loaded (${this.#ended})` : 'a file waits or loops while it is loaded';
  }

  get #ended(): string {
    return this.#child.signalCode ?? `exit code ${this.#child.exitCode}`;
  }

  async #tooLate(): Promise<null> {
    await sleep(loadsWithinMs, undefined, { ref: false });
    return null;
  }

  /** Ends it, whatever it does. */
  kill(): void {
    this.#isStopping = true;
    this.#child.kill('SIGKILL');
  }

  /** From now on it takes no more calls. Resolves when it has gone, or a moment later while calls still run in it. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), endsWithinMs);
    void this.exited.then(() => clearTimeout(timer));
    await Promise.race([this.exited, sleep(leavesWithinMs)]);
  }
}

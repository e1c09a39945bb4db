// The globals of a test file whose modules Node loads itself: those of the process. Node runs this file without a build: only erasable type
// syntax.
import { ModernFakeTimers } from '@jest/fake-timers';
import type { TestEnvironment } from 'jest-environment-node';
import { ModuleMocker } from 'jest-mock';

type Given = ConstructorParameters<typeof TestEnvironment>;

/** What the test framework keeps for one file on the global object, by the descriptions of its symbols. */
const ofOneFile = [
  'JEST_STATE_SYMBOL',
  'EVENT_HANDLERS',
  'TEST_TIMEOUT_SYMBOL',
  'RETRY_TIMES',
  'RETRY_TIMES_SETTER',
  'RETRY_IMMEDIATELY',
  'WAIT_BEFORE_RETRY',
  'LOG_ERRORS_BEFORE_RETRY',
];

/** Whatever a file changes here is as before when it has ended: timers, spies, environment variables, folder, console. */
export default class NativeEnvironment {
  readonly global = globalThis;
  readonly fakeTimers = null;
  readonly fakeTimersModern: ModernFakeTimers;
  readonly moduleMocker = new ModuleMocker(globalThis);
  readonly #before = { console, cwd: process.cwd(), env: { ...process.env } };
  /** Jest replaces them. */
  readonly #ofProcess = { exit: process.exit, getBuiltinModule: process.getBuiltinModule };

  constructor({ projectConfig }: Given[0]) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup(): Promise<void> {
    // Nothing is to be made.
  }

  async teardown(): Promise<void> {
    this.fakeTimersModern.dispose();
    this.moduleMocker.restoreAllMocks();
    const { console, cwd, env } = this.#before;
    globalThis.console = console;
    Object.assign(process, this.#ofProcess);
    if (process.cwd() !== cwd) process.chdir(cwd);
    for (const name of Object.keys(process.env)) if (!(name in env)) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, env);
    for (const symbol of Object.getOwnPropertySymbols(globalThis))
      if (ofOneFile.includes(symbol.description ?? '')) Reflect.deleteProperty(globalThis, symbol);
  }

  /** Node's own; what is to be loaded of this project is for the runtime to say. */
  exportConditions(): string[] {
    return ['node', 'node-addons'];
  }

  /** Everything runs in the context of the process. */
  getVmContext(): null {
    return null;
  }
}

import { createContext, Script } from 'node:vm';
import { closeNetwork } from './close-network.js';
import type { Answer, Task } from './messages.js';

export type Functions = Readonly<Record<string, (input: never, onProgress: (value: unknown) => void) => unknown>>;

/** How much longer than its time a task may take if its worker is gone and cannot kill the process; longer than any worker waits. */
const orphanFactor = 20;

/** Runs the functions for the worker that started this process, one task at a time. @param load imports them, and with them the parsers */
export async function serve(load: () => Promise<Functions>): Promise<void> {
  process.once('disconnect', () => process.exit());
  closeNetwork();
  const functions = await load();
  const tell = (answer: Answer): void => void process.send?.(answer);
  process.on('message', (task: Task) => {
    const work = functions[task.name] as ((input: unknown, onProgress: (value: unknown) => void) => unknown) | undefined;
    if (!work) return tell({ kind: 'failed', stack: `there is no function ${task.name}` });
    new Promise((resolve) => resolve(withinTime(() => work(task.input, (value) => tell({ kind: 'progress', value })), task.timeMs))).then(
      (value) => tell({ kind: 'done', value }),
      (error: unknown) => tell({ kind: 'failed', stack: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
  tell({ kind: 'ready' });
}

const timed: { work: () => void } = { work: () => undefined };
const script = new Script('work()');
createContext(timed);

/** Runs work whose synchronous part cannot outlive a worker that was killed: such a worker kills nobody, and the process hears nothing. */
function withinTime(work: () => unknown, timeMs: number): unknown {
  let result: unknown;
  timed.work = () => void (result = work());
  try {
    script.runInContext(timed, { timeout: Math.ceil(timeMs * orphanFactor) });
  } catch (error) {
    if (error instanceof Object && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') process.exit(1);
    throw error;
  }
  return result;
}

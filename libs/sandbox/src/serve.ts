import { createContext, Script } from 'node:vm';
import { closeNetwork } from './close-network.js';
import type { ProcessMessage, Order, Task } from './messages.js';

/** Has the worker do something, and gives its reply. What a task asks after its end is asked of nobody. */
export type AskWorker = (value: unknown) => Promise<unknown>;
type Run<Input> = (input: Input, onProgress: (value: unknown) => void, ask: AskWorker) => unknown;
export type Functions = Readonly<Record<string, Run<never>>>;

/** How much longer than its time a task may take if its worker is gone and cannot kill the process; longer than any worker waits. */
const orphanFactor = 20;

/** Runs the functions for the worker that started this process, one task at a time. @param load imports them, and with them the parsers */
export async function serve(load: () => Promise<Functions>): Promise<void> {
  process.once('disconnect', () => process.exit());
  closeNetwork();
  const functions = await load();
  const tell = (answer: ProcessMessage): void => void process.send?.(answer);
  const waiting = new Map<number, (value: unknown) => void>();
  let asked = 0;
  const start = async ({ name, input, timeMs }: Task): Promise<void> => {
    const work = functions[name] as Run<unknown> | undefined;
    if (!work) return tell({ kind: 'failed', stack: `there is no function ${name}` });
    let isOver = false;
    const ask: AskWorker = async (value) =>
      new Promise((resolve) => {
        if (isOver) return;
        // No two tasks of a process use one id: a late reply is for nobody.
        asked += 1;
        waiting.set(asked, resolve);
        tell({ kind: 'ask', id: asked, value });
      });
    const end = (answer: ProcessMessage): void => {
      isOver = true;
      waiting.clear();
      tell(answer);
    };
    await new Promise((resolve) => resolve(withinTime(() => work(input, (value) => tell({ kind: 'progress', value }), ask), timeMs))).then(
      (value) => end({ kind: 'done', value }),
      (error: unknown) => end({ kind: 'failed', stack: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  };
  process.on('message', (order: Order) => {
    if (order.kind === 'task') return void start(order);
    waiting.get(order.id)?.(order.value);
    waiting.delete(order.id);
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

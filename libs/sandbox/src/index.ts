/**
 * Work on texts of strangers, in processes that can be killed.
 *
 * A parser's time and memory may grow without bound with a text that is written for it. So it runs in a process of its own, which is
 * warm, serves one text at a time, and is killed when the time or the memory of its task is used up. It has no environment, may read
 * our code alone, and may not write files, start programs or use the network.
 *
 * ```ts
 * // reading-process.ts, the entry of the process:
 * serve(async () => (await import('./reading.js')).reading);
 * // reading.ts:
 * export const reading = { outline: (text: string) => … };
 * // In the app:
 * const sandbox = new Sandbox<typeof reading>({ root, entry: 'dist/apps/a-worker/src/reading-process.js' });
 * await sandbox.run('outline', text, { tenant: caller.tenantId, signal, timeMs: 2_000 });
 * ```
 *
 * A function may ask its worker for what it cannot do itself (`ask`, `onAsk`).
 *
 * `FairSlots` keeps one tenant from holding all of anything that a worker has few of: processes, database connections.
 */
export { OverLimit, TooManyWaiting } from './errors.js';
export { FairSlots } from './fair-slots.js';
export { usageOf } from './process-usage.js';
export { Sandbox, type Input } from './sandbox.js';
export { serve, type AskWorker } from './serve.js';
export { timeFor } from './time-for.js';

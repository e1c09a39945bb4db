import { getHeapStatistics } from 'node:v8';
import * as inspector from 'node:inspector';
import { Worker } from 'node:worker_threads';
import { attemptsName } from './attempts-here.js';
import { watch, type WatchdogMessage } from './watch.js';

/** How often this thread says that it is there, in ms. */
const beatMs = 250;

let watchdog: Worker | null = null;

/** A thread that ends the process where a tool holds it for longer than this, or is about to fill its memory. @returns what stops it */
export function startWatchdog(mostBusyMs: number): () => void {
  const beats = new Int32Array(new SharedArrayBuffer(8));
  // Its text: so it is where this library is, however that was bundled.
  const program = `(${watch.toString()})(require('node:inspector'), require('node:worker_threads'), require('node:fs'));`;
  const thread = new Worker(program, {
    eval: true,
    workerData: { beats, mostBusyMs, heapLimit: heapLimit(), attemptsName, folder: process.cwd() },
    execArgv: [],
  });
  thread.unref();
  // Without it tools run as well.
  thread.on('error', () => undefined);
  const timer = setInterval(() => {
    Atomics.add(beats, 0, 1);
    // Who stops at a breakpoint does not loop.
    Atomics.store(beats, 1, inspector.url() === undefined ? 0 : 1);
  }, beatMs);
  timer.unref();
  watchdog = thread;
  return () => {
    watchdog = null;
    clearInterval(timer);
    void thread.terminate();
  };
}

/** What old objects may take: the engine tells the limit with the space of new ones, which has at most 192 MiB. */
function heapLimit(): number {
  const { heap_size_limit: all } = getHeapStatistics();
  return Math.max(0.6 * all, all - 192 * 2 ** 20);
}

/** What it tells the gateway of, should it end the process. */
export function tellWatchdog(message: WatchdogMessage): void {
  watchdog?.postMessage(message);
}

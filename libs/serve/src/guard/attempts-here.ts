import { AsyncLocalStorage } from 'node:async_hooks';

/** An attempt that runs in this process, or has run: what it left behind may still fail. */
export interface AttemptHere {
  readonly attempt: string;
  readonly tool: string;
  /** Ends it as a failure of the tool. Does nothing but tell it where it has ended. */
  readonly fail: (error: Error) => void;
}

/** Whose work runs now: also in timers, in events and in promises that nobody awaits. */
export const attemptsHere = new AsyncLocalStorage<AttemptHere>();

/** By this name the watchdog, which is another thread, reads it. */
export const attemptsName = 'invoq.attempts';
Reflect.set(globalThis, Symbol.for(attemptsName), attemptsHere);

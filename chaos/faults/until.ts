import { setTimeout as sleep } from 'node:timers/promises';

const lookEveryMs = 25;

interface UntilOptions {
  readonly withinMs: number;
  readonly what: string;
}

/** Waits for a condition of the system under test, within a bound. */
export async function until(isTrue: () => boolean | Promise<boolean>, { withinMs, what }: UntilOptions): Promise<void> {
  for (const deadline = performance.now() + withinMs; !(await isTrue()); await sleep(lookEveryMs)) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${withinMs} ms`);
  }
}

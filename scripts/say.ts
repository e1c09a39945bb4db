/** An error whose message is for the person at the terminal: printed alone, without a stack. It says what to do. */
export class Failure extends Error {}

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

export function complain(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Does one step of a longer job and says how long it took; a step that takes more than a second is announced first. */
export async function step<Result>(title: string, work: () => Promise<Result>): Promise<Result> {
  const started = performance.now();
  const announcement = setTimeout(() => {
    say(`  … ${title}`);
  }, 1_000);
  try {
    const result = await work();
    say(`  ✓ ${title}  ${seconds(performance.now() - started)}`);
    return result;
  } finally {
    clearTimeout(announcement);
  }
}

export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

/** Runs a script to its exit code. */
export async function runScript(work: () => Promise<number | void>): Promise<never> {
  try {
    process.exit((await work()) ?? 0);
  } catch (error) {
    complain(error instanceof Failure ? `error: ${error.message}` : describe(error));
    process.exit(1);
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

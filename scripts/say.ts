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

const exitCodes = { failed: 1, misused: 2 } as const;

/**
 * Runs a script to its exit code.
 * @param help what `--help` shows, without the script being run; an option that there is not leads to it
 */
export async function runScript(work: () => Promise<number | void>, help?: string): Promise<never> {
  if (help !== undefined) endWithHelp(help);
  try {
    process.exit((await work()) ?? 0);
  } catch (error) {
    if (help !== undefined && isMisuse(error)) {
      complain(`error: ${error.message}\n\n${help.trimEnd()}`);
      process.exit(exitCodes.misused);
    }
    complain(error instanceof Failure ? `error: ${error.message}` : describe(error));
    process.exit(exitCodes.failed);
  }
}

/** Shows the help and ends, if it was asked for. */
export function endWithHelp(help: string): void {
  if (!process.argv.slice(2).some((argument) => argument === '--help' || argument === '-h')) return;
  say(help.trimEnd());
  process.exit(0);
}

/** What `parseArgs` says of an option that it was not told of. */
function isMisuse(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

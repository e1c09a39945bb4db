import { parseArgs } from 'node:util';
import { CommandError, UsageError } from './errors.js';
import { print, printError } from './print.js';

/** What commands exit with; 130 is the shell's number for an interrupt (128 + SIGINT). */
export const exitCodes = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const;

/**
 * Runs a script and exits with its code: 0 when `work` returns nothing, 2 for wrong usage, 1 for any other error.
 * @param help printed for `--help` or `-h` in place of the work, and after the message of wrong usage
 */
export async function runScript(work: () => Promise<number | void>, help?: string): Promise<never> {
  if (help !== undefined) exitWithHelp(help);
  try {
    process.exit((await work()) ?? exitCodes.done);
  } catch (error) {
    if (isUsageError(error)) {
      printError(`error: ${error.message}${help === undefined ? '' : `\n\n${help.trimEnd()}`}`);
      process.exit(exitCodes.usage);
    }
    printError(describeError(error));
    process.exit(exitCodes.failed);
  }
}

/** The same for a script that takes no arguments: any other than `--help` is wrong usage, and nothing is done. */
export async function runWithoutArguments(help: string, work: () => Promise<number | void>): Promise<never> {
  return runScript(() => {
    parseArgs({ options: {} });
    return work();
  }, help);
}

/** Prints the help and exits if `--help` or `-h` is among the arguments. */
export function exitWithHelp(help: string): void {
  if (!process.argv.slice(2).some((argument) => argument === '--help' || argument === '-h')) return;
  print(help.trimEnd());
  process.exit(exitCodes.done);
}

/** True for our own usage errors and for those that `parseArgs` of node:util throws. */
export function isUsageError(error: unknown): error is Error {
  return error instanceof UsageError || (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'));
}

/** `error: …` for an error that is meant for the user; the stack for a fault of ours. */
export function describeError(error: unknown): string {
  if (error instanceof CommandError) return `error: ${error.message}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** An error whose message tells the user what to do. It is printed alone, without a stack. Exit code 1. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError';
}

/** The command line is wrong and nothing was tried. The message names the option and says what would be right. Exit code 2. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError';
}

// Finds the command, runs it, and tells every error in one way.
import { InvoqError } from '#lib/client';
import { describeError, exitCodes, isUsageError, print, printError, startCommand } from '#lib/command-line';
import type { Command } from './command.js';
import { commands, type CommandEntry } from './commands.js';

/** Runs one command line and gives the exit code: 0 done, 1 failed, 2 wrong usage, 130 interrupted. */
export async function runCli(args: readonly string[], entries: readonly CommandEntry[] = commands): Promise<number> {
  const entry = entries.find(({ name }) => name === args[0] || name === args.slice(0, 2).join(' '));
  if (!entry) return withoutCommand(args, entries);
  const rest = args.slice(entry.name.split(' ').length);
  const command = await entry.load();
  try {
    const { isHelpRequest = (given) => given.some(isHelp) } = command;
    if (!isHelpRequest(rest)) return (await command.run(rest)) ?? exitCodes.done;
    print(helpOf(entry, command));
    return exitCodes.done;
  } catch (error) {
    if (isUsageError(error)) {
      printError(`error: ${error.message}\n\n${helpOf(entry, command)}`);
      return exitCodes.usage;
    }
    printFailure(error);
    return exitCodes.failed;
  }
}

/** No command, the first word of several, or one that there is not. */
function withoutCommand(args: readonly string[], entries: readonly CommandEntry[]): number {
  const [word] = args;
  const group = entries.filter(({ name }) => name.startsWith(`${word} `));
  const overview = overviewOf(group.length > 0 ? group : entries);
  if (word === 'help' || args.slice(0, 2).some(isHelp)) {
    print(overview);
    return exitCodes.done;
  }
  const isWordMissing = word === undefined || (group.length > 0 && args[1] === undefined);
  const given = group.length > 0 ? `${word} ${args[1]}` : word;
  printError(`error: ${isWordMissing ? 'Name a command' : `There is no command '${given}'`}\n\n${overview}`);
  return exitCodes.usage;
}

function overviewOf(entries: readonly CommandEntry[]): string {
  return `Usage: invoq <command> [options]

${entries.map(({ name, summary }) => `  ${name.padEnd(17)} ${summary}`).join('\n')}

invoq <command> --help shows its options.
The gateway and the caller are INVOQ_URL and INVOQ_API_KEY; without them those of ${startCommand}, in .data/dev.env.`;
}

function helpOf({ name, summary }: CommandEntry, { usage, help }: Command): string {
  return [`Usage: invoq ${name} ${usage}`.trimEnd(), `${summary}.`, help].filter(Boolean).join('\n\n');
}

function isHelp(argument: string | undefined): boolean {
  return argument === '--help' || argument === '-h';
}

function printFailure(error: unknown): void {
  if (error instanceof InvoqError) {
    printError(`error: ${error.code}: ${error.message}`);
    if (error.traceId) printError(`trace: ${error.traceId}`);
    const advice = adviceOf(error);
    if (advice) printError(advice);
  } else if (error instanceof Error && 'code' in error) {
    // An error of the system or of a driver: a stack of ours says no more.
    printError(`error: ${error.message || String(error.code)}`);
  } else printError(describeError(error));
}

/** What to do here, where the error itself speaks of headers or of the network. */
function adviceOf({ code, status }: InvoqError): string | undefined {
  if (code === 'UNAUTHORIZED')
    return 'The key is INVOQ_API_KEY (of an administrator: INVOQ_ADMIN_KEY). It must be one of the gateway of INVOQ_URL.';
  return status === 0 ? `${startCommand} starts one on this machine; INVOQ_URL names another.` : undefined;
}

// Finds the command, runs it, and tells every error in one way.
import { InvoqError } from '#lib/client';
import { describeError, exitCodes, isUsageError, print, printError, startCommand, type GatewayChoice } from '#lib/command-line';
import type { Command } from './command.js';
import { commands, type CommandEntry } from './commands.js';
import { chooseGateway } from './connect.js';

/** Runs one command line and gives the exit code: 0 done, 1 failed, 2 wrong usage, 130 interrupted. */
export async function runCli(given: readonly string[], entries: readonly CommandEntry[] = commands): Promise<number> {
  const { args, choice, fault } = gatewayChoiceIn(given);
  if (fault !== undefined) {
    printError(`error: ${fault}\n\n${overviewOf(entries)}`);
    return exitCodes.usage;
  }
  chooseGateway(choice);
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
      const misplaced = gatewayOptions.some((name) => error.message.includes(`'--${name}'`));
      const place = misplaced ? `\n--url, --key and --profile stand before the command: invoq --url <address> ${entry.name} …` : '';
      printError(`error: ${error.message}${place}\n\n${helpOf(entry, command)}`);
      return exitCodes.usage;
    }
    printFailure(error);
    return exitCodes.failed;
  }
}

const gatewayOptions = ['url', 'key', 'profile'] as const;

/** They stand before the command: after it, a tool may have parameters of these names. */
function gatewayChoiceIn(given: readonly string[]): {
  readonly args: readonly string[];
  readonly choice: GatewayChoice;
  readonly fault?: string;
} {
  const choice: { -readonly [Name in keyof GatewayChoice]: GatewayChoice[Name] } = {};
  let rest = given;
  for (;;) {
    const [, name, attached] = /^--(url|key|profile)(?:=(.*))?$/s.exec(rest[0] ?? '') ?? [];
    const option = gatewayOptions.find((one) => one === name);
    if (option === undefined) return { args: rest, choice };
    const value = attached ?? rest[1] ?? '';
    if (value === '' || (attached === undefined && value.startsWith('--')))
      return { args: rest, choice, fault: `--${option} needs a value` };
    choice[option] = value;
    rest = rest.slice(attached === undefined ? 2 : 1);
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
  const width = Math.max(...entries.map(({ name }) => name.length));
  return `Usage: invoq <command> [options]

${entries.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`).join('\n')}

invoq <command> --help shows its options.
The gateway and the caller are those of the options --url and --key before the command, else of --profile (~/.config/invoq/<name>.env, or a
file), else those that ${startCommand} wrote to .data/dev.env here, else INVOQ_URL and INVOQ_API_KEY.`;
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
    return 'The key is that of --key, of the profile, of .data/dev.env or INVOQ_API_KEY (of an administrator: INVOQ_ADMIN_KEY). It must be one of this gateway.';
  return status === 0 ? `${startCommand} starts one on this machine; --url or INVOQ_URL names another.` : undefined;
}

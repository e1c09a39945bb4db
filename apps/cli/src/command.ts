// How every command reads its arguments: one idiom, from which its help is made too.
import { parseArgs, type ParseArgsOptionDescriptor } from 'node:util';
import { UsageError } from '#lib/command-line';

export interface Command {
  /** What follows the name of the command in its usage line, such as `<job> [options]`. */
  readonly usage: string;
  /** What the help says after the usage line: options and notes. */
  readonly help: string;
  /** Whether these arguments ask for the help above. Left out: whenever `--help` or `-h` is among them. */
  readonly isHelpRequest?: (args: readonly string[]) => boolean;
  /** Does the work and gives the exit code, 0 when it gives none. Throws UsageError for wrong arguments. */
  readonly run: (args: readonly string[]) => Promise<number | void>;
}

export interface OptionSpec extends ParseArgsOptionDescriptor {
  readonly help: string;
  /** How the help names the value of an option that has one, such as `<name>`. */
  readonly value?: string;
}

type OptionSpecs = Readonly<Record<string, OptionSpec>>;

interface ParseConfig<Options extends OptionSpecs> {
  args: string[];
  options: Options;
  allowPositionals: true;
  allowNegative: true;
}

export interface Arguments<Options extends OptionSpecs> {
  readonly values: ReturnType<typeof parseArgs<ParseConfig<Options>>>['values'];
  /** As many as the command declares. */
  readonly positionals: readonly string[];
}

interface CommandSpec<Options extends OptionSpecs> {
  /** Names of the positional arguments: `<job>` is needed, `[folder]` may be left out, `<file>…` is one or more. */
  readonly positionals?: readonly string[];
  readonly options: Options;
  /** What the help adds after the options. */
  readonly notes?: string;
  readonly run: (given: Arguments<Options>) => Promise<number | void>;
}

export function defineCommand<const Options extends OptionSpecs>({ positionals = [], options, notes, run }: CommandSpec<Options>): Command {
  const optionHelp = Object.entries(options).map(([name, spec]) => `  ${signature(name, spec).padEnd(22)} ${spec.help}`);
  return {
    usage: [...positionals, ...(optionHelp.length > 0 ? ['[options]'] : [])].join(' '),
    help: [optionHelp.join('\n'), notes?.trim()].filter(Boolean).join('\n\n'),
    run: (args) => {
      const given = parse(args, options);
      checkCount(given.positionals, positionals);
      return run(given);
    },
  };
}

/** A whole number of an option; undefined when it was not given. Throws UsageError outside of the range. */
export function wholeNumber(option: string, text: string | undefined, { min, max }: { min: number; max: number }): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (/^\d{1,16}$/.test(text) && number >= min && number <= max) return number;
  throw new UsageError(`${option} must be a whole number from ${min} to ${max}, not '${text}'`);
}

/** One of the values of an option; undefined when it was not given. Throws UsageError for any other text. */
export function oneOf<Value extends string>(option: string, text: string | undefined, values: readonly Value[]): Value | undefined {
  const found = values.find((value) => value === text);
  if (text !== undefined && found === undefined) throw new UsageError(`${option} must be one of ${values.join(', ')}, not '${text}'`);
  return found;
}

function parse<Options extends OptionSpecs>(args: readonly string[], options: Options): Arguments<Options> {
  try {
    return parseArgs<ParseConfig<Options>>({ args: [...args], options, allowPositionals: true, allowNegative: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function checkCount(given: readonly string[], names: readonly string[]): void {
  const missing = names.filter((name) => name.startsWith('<'))[given.length];
  if (missing) throw new UsageError(`${missing.replace('…', '')} is missing`);
  if (given.length > names.length && !names.at(-1)?.endsWith('…')) throw new UsageError(`Unexpected argument '${given[names.length]}'`);
}

function signature(name: string, { type, value, short, default: initial }: OptionSpec): string {
  const long = type === 'boolean' ? `--${initial === true ? 'no-' : ''}${name}` : `--${name} ${value ?? '<value>'}`;
  return short === undefined ? long : `-${short}, ${long}`;
}

// The JSON Schema of a tool → options of a command line, and back to parameters.
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { UsageError } from '#lib/command-line';
import type { JsonSchema } from '#lib/contracts';

/** Options of the command itself; a parameter of the same name is given with `--input`. */
const ownOptions = {
  help: { type: 'boolean' },
  input: { type: 'string' },
  version: { type: 'string' },
  json: { type: 'boolean' },
  async: { type: 'boolean' },
  'run-at': { type: 'string' },
  'delay-ms': { type: 'string' },
  debug: { type: 'boolean' },
  metacognition: { type: 'boolean' },
  'no-cache': { type: 'boolean' },
  all: { type: 'boolean' },
  'max-items': { type: 'string' },
} as const satisfies ParseArgsOptionsConfig;

/** What the help says of them. */
export const ownHelp = `  --input <file|->   parameters as a JSON object, - for standard input; options come before it
  --version <range>  a version of the tool, such as ^2.0.0
  --all              every item of a tool that answers in pages, one JSON object a line
  --max-items <n>    stop after this many items (default: 1000); only with --all
  --async            do not wait; prints the id of the job
  --run-at <time>    run it then, such as 2030-01-31T09:00:00Z, within a year; prints the id of the job
  --delay-ms <n>     run it in so many milliseconds; prints the id of the job
  --json             the result with its metadata
  --debug            how the answer came about, on standard error; not in production
  --metacognition    a review of the answer, in its metadata
  --no-cache         run the tool even where its answer is cached`;

export interface CallArguments {
  readonly own: Readonly<Partial<Record<keyof typeof ownOptions, string | boolean>>>;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Throws UsageError for an unknown option, and for a value that is not of the type of its parameter. */
export function readCallArguments(args: readonly string[], schema: JsonSchema): CallArguments {
  const properties = Object.entries(schema.properties ?? {}).filter(([name]) => !Object.hasOwn(ownOptions, name));
  const options: ParseArgsOptionsConfig = {
    ...ownOptions,
    ...Object.fromEntries(properties.map(([name, one]) => [name, { type: 'string', multiple: typeOf(one) === 'array' } as const])),
  };
  const values = parsed(spelledOut(args, schema), options);
  const parameters = properties.flatMap(([name, one]) => {
    const given = values[name];
    return given === undefined ? [] : [[name, valueOf(`--${name}`, given, one)] as const];
  });
  const own = Object.fromEntries(Object.entries(values).filter(([name]) => Object.hasOwn(ownOptions, name)));
  return { own, parameters: Object.fromEntries(parameters) };
}

/** Rewrites a boolean `--name` as `--name=true`, and `--name -1` as `--name=-1`, which parseArgs would take for two options. */
function spelledOut(args: readonly string[], schema: JsonSchema): string[] {
  return args.flatMap((arg, index) => {
    const name = /^--([\w-]+)$/.exec(args[index - 1] ?? '')?.[1] ?? '';
    if (/^-\d/.test(arg) && Object.hasOwn(schema.properties ?? {}, name)) return [];
    const own = /^--([\w-]+)$/.exec(arg)?.[1] ?? '';
    const property = schema.properties?.[own];
    const next = args[index + 1] ?? '';
    if (property && /^-\d/.test(next)) return [`${arg}=${next}`];
    const isFlag = property && typeOf(property) === 'boolean' && !['true', 'false'].includes(next);
    return [isFlag ? `${arg}=true` : arg];
  });
}

function parsed(args: string[], options: ParseArgsOptionsConfig) {
  try {
    return parseArgs({ args, options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}; --help shows the options of this tool`);
  }
}

function valueOf(flag: string, given: unknown, schema: JsonSchema): unknown {
  if (Array.isArray(given)) {
    const items = given.flatMap((text) => String(text).split(','));
    return items.map((text) => valueOf(flag, text, schema.items ?? {}));
  }
  const text = String(given);
  switch (typeOf(schema)) {
    case 'number':
    case 'integer': {
      if (text.trim() === '' || !Number.isFinite(Number(text))) throw new UsageError(`${flag} must be a number, not '${text}'`);
      return Number(text);
    }
    case 'boolean':
      if (text !== 'true' && text !== 'false') throw new UsageError(`${flag} must be true or false, not '${text}'`);
      return text === 'true';
    case 'object':
      return jsonOf(flag, text);
    default:
      return text;
  }
}

function jsonOf(flag: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${flag} must be JSON, such as '{"key":"value"}'`);
  }
}

/** The type of a parameter; of several the first that is not null. */
function typeOf(schema: JsonSchema): string {
  const types = [schema.type ?? schema.anyOf?.map((one) => one.type ?? '') ?? 'string'].flat(2);
  return types.find((type) => type !== 'null') ?? 'string';
}

/** The help for one tool, with two lines a parameter. */
export function toolHelp(name: string, description: string, schema: JsonSchema): string {
  const required = new Set(schema.required);
  const lines = Object.entries(schema.properties ?? {}).map(([key, one]) => {
    const type = one.enum ? one.enum.map(String).join('|') : typeOf(one);
    const rest = one.default !== undefined ? `default ${JSON.stringify(one.default)}` : required.has(key) ? 'required' : 'optional';
    return `  --${key} <${type}>  (${rest})\n      ${one.description ?? ''}`;
  });
  return `Usage: invoq call ${name} [options]

${description}

${lines.join('\n')}

${ownHelp}`;
}

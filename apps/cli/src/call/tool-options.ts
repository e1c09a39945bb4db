// A tool's schema → flags of a command line, and back to parameters.
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { UsageError } from '#lib/command-line';
import type { JsonSchema } from '#lib/contracts';

/** Flags of ours; a parameter of the same name is given by `--input`. */
const ownFlags = {
  help: { type: 'boolean' },
  input: { type: 'string' },
  version: { type: 'string' },
  json: { type: 'boolean' },
  async: { type: 'boolean' },
  debug: { type: 'boolean' },
  metacognition: { type: 'boolean' },
  'no-cache': { type: 'boolean' },
} as const satisfies ParseArgsOptionsConfig;

export interface ReadFlags {
  readonly own: Readonly<Partial<Record<keyof typeof ownFlags, string | boolean>>>;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Throws UsageError for unknown flags and values that are not of their parameter's type. */
export function readFlags(args: readonly string[], schema: JsonSchema): ReadFlags {
  const properties = Object.entries(schema.properties ?? {}).filter(([name]) => !Object.hasOwn(ownFlags, name));
  const options: ParseArgsOptionsConfig = {
    ...ownFlags,
    ...Object.fromEntries(properties.map(([name, one]) => [name, { type: 'string', multiple: typeOf(one) === 'array' } as const])),
  };
  const values = parsed(spelledOut(args, schema), options);
  const parameters = properties.flatMap(([name, one]) => {
    const given = values[name];
    return given === undefined ? [] : [[name, valueOf(`--${name}`, given, one)] as const];
  });
  const own = Object.fromEntries(Object.entries(values).filter(([name]) => Object.hasOwn(ownFlags, name)));
  return { own, parameters: Object.fromEntries(parameters) };
}

/** `--flag` of a boolean stands for `--flag=true`, and `--share -1` gives a number, not another flag. */
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
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}; --help tells the flags of this tool`);
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

/** The one type that is meant; of several the first that is not null. */
function typeOf(schema: JsonSchema): string {
  const types = [schema.type ?? schema.anyOf?.map((one) => one.type ?? '') ?? 'string'].flat(2);
  return types.find((type) => type !== 'null') ?? 'string';
}

/** Help for one tool: a line a parameter. */
export function helpOf(name: string, description: string, schema: JsonSchema): string {
  const required = new Set(schema.required);
  const lines = Object.entries(schema.properties ?? {}).map(([key, one]) => {
    const type = one.enum ? one.enum.map(String).join('|') : typeOf(one);
    const rest = one.default !== undefined ? `default ${JSON.stringify(one.default)}` : required.has(key) ? 'required' : 'optional';
    return `  --${key} <${type}>  (${rest})\n      ${one.description ?? ''}`;
  });
  return `invoq call ${name} [flags]

${description}

${lines.join('\n')}

  --input <file|->   parameters as JSON, - for standard input; flags come before it
  --version <range>  such as ^2.0.0
  --async            do not wait; prints the job's id
  --json             the whole envelope
  --debug  --metacognition  --no-cache`;
}

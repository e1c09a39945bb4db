import { hash } from 'node:crypto';
import type { RedisClient } from './redis-client.js';

/** What Redis can answer with. `false` and `nil` of Lua arrive as null. */
export type ScriptReply = string | number | null | readonly ScriptReply[];

/** How Lua sees an argument: a string, a number, or true and false. A number that is only handed on is a string: Redis takes 0.2 µs to make it one again. */
export type ArgumentKind = 'text' | 'number' | 'flag';
export type ArgumentValue = { readonly text: string | number; readonly number: number; readonly flag: boolean };

interface ScriptDefinition<Key extends string, Arguments extends Record<string, ArgumentKind>> {
  /** Each is a local of the script with `Key` after its name: `invocation` is `invocationKey`. */
  readonly keys: readonly Key[];
  /** Each is a local of the script by its name. */
  readonly args: Arguments;
  /** The name of a table that holds further arguments, as text. */
  readonly moreArgs?: string;
  /** The form of the reply, for people who read the script or `SLOWLOG`. */
  readonly returns: string;
  /** Lua that several scripts share, see `scripts/shared.ts`. May use the keys and arguments. */
  readonly uses?: readonly string[];
  readonly lua: string;
}

interface ScriptCall<Key extends string, Arguments extends Record<string, ArgumentKind>> {
  readonly keys: Readonly<Record<Key, string>>;
  readonly args: { readonly [Name in keyof Arguments]: ArgumentValue[Arguments[Name]] };
  readonly moreArgs?: readonly (string | number)[];
}

/**
 * One atomic step in Redis. Keys and arguments are named once: the script's first lines and the order in which a call sends
 * them are made from the same names.
 */
export class Script<const Key extends string = never, const Arguments extends Record<string, ArgumentKind> = Record<never, never>> {
  readonly source: string;
  /** By which Redis is asked to run it. */
  readonly sha: string;
  readonly #keys: readonly Key[];
  readonly #args: readonly (keyof Arguments & string)[];

  constructor(definition: ScriptDefinition<Key, Arguments>) {
    this.#keys = definition.keys;
    this.#args = Object.keys(definition.args);
    this.source = [headerOf(definition), ...(definition.uses ?? []), definition.lua.trim(), ''].join('\n');
    this.sha = hash('sha1', this.source, 'hex');
  }

  async run(redis: RedisClient, { keys, args, moreArgs = [] }: ScriptCall<Key, Arguments>): Promise<ScriptReply> {
    const sentKeys = this.#keys.map((name) => keys[name]);
    const sent = [...sentKeys, ...this.#args.map((name) => asText(args[name])), ...moreArgs];
    try {
      return reply(await redis.evalsha(this.sha, sentKeys.length, ...sent));
    } catch (error) {
      // A restarted Redis has forgotten its scripts.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return reply(await redis.eval(this.source, sentKeys.length, ...sent));
    }
  }
}

function headerOf({ keys, args, moreArgs, returns }: ScriptDefinition<string, Record<string, ArgumentKind>>): string {
  const named = [
    ...keys.map((name, index) => ({ name: `${name}Key`, value: `KEYS[${index + 1}]` })),
    ...Object.entries(args).map(([name, kind], index) => ({ name, value: valueOf(kind, `ARGV[${index + 1}]`) })),
  ];
  const table = tableOf(moreArgs, Object.keys(args).length);
  return [`-- returns ${returns}`, ...named.map(({ name, value }) => `local ${name} = ${value}`), ...table].join('\n');
}

export function valueOf(kind: ArgumentKind, argument: string): string {
  if (kind === 'number') return `tonumber(${argument})`;
  return kind === 'flag' ? `${argument} == '1'` : argument;
}

/** Lua's `unpack` cannot hold as many values as a call may send. */
function tableOf(name: string | undefined, taken: number): readonly string[] {
  return name === undefined ? [] : [`local ${name} = {}`, `for n = ${taken + 1}, #ARGV do ${name}[n - ${taken}] = ARGV[n] end`];
}

export function asText(value: string | number | boolean): string | number {
  return typeof value === 'boolean' ? Number(value) : value;
}

function reply(value: unknown): ScriptReply {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number') return value;
  if (Array.isArray(value)) return value.map(reply);
  throw new TypeError(`A script answered with ${typeof value}`);
}

/** A reply that must be a list. */
export function listOf(reply: ScriptReply): readonly ScriptReply[] {
  if (Array.isArray(reply)) return reply;
  throw new TypeError('A script answered with no list');
}

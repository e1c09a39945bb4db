import type { RedisClient } from './redis-client.js';
import { Script, asText, listOf, valueOf, type ArgumentKind, type ArgumentValue, type ScriptReply } from './script.js';

interface GroupDefinition<Key extends string, Shared extends Record<string, ArgumentKind>, Own extends Record<string, ArgumentKind>> {
  /** Each is a local of the script with `Key` after its name. */
  readonly keys: readonly Key[];
  /** What all calls of the group share. Each is a local of the script by its name. */
  readonly args: Shared;
  /** What each call has of its own. Each is a local of `one` by its name. What all calls of a group have alike is sent once. */
  readonly own: Own;
  /** The form of the reply to one call, for people who read the script or `SLOWLOG`. */
  readonly returns: string;
  /** The form of what the script adds for all of them, or '' where it adds nothing. */
  readonly adds?: string;
  readonly uses?: readonly string[];
  /** Comes before the calls: what they share is read here. `eachOwn(name)` is the list of what the calls have under a name of `own`, as text. */
  readonly before: string;
  /** For each call in turn: returns the reply to it. */
  readonly one: string;
  /** Comes after them: what they share is written here. May return what the script adds. */
  readonly after: string;
}

export type ArgumentsOf<Kinds extends Record<string, ArgumentKind>> = { readonly [Name in keyof Kinds]: ArgumentValue[Kinds[Name]] };

interface GroupCall<Key extends string, Shared extends Record<string, ArgumentKind>, Own extends Record<string, ArgumentKind>> {
  readonly keys: Readonly<Record<Key, string>>;
  readonly args: ArgumentsOf<Shared>;
  readonly calls: readonly ArgumentsOf<Own>[];
}

export interface GroupReply {
  /** To each call, in their order. One that failed is an Error, as Redis says it; the others are not touched by it. */
  readonly replies: readonly (ScriptReply | Error)[];
  readonly added: ScriptReply;
}

/**
 * One atomic step in Redis for a group of calls. What they share is read once and written once, and each call is done in turn, as if it came
 * alone. A call that Redis refuses fails alone.
 */
export class GroupScript<
  const Key extends string = never,
  const Shared extends Record<string, ArgumentKind> = Record<never, never>,
  const Own extends Record<string, ArgumentKind> = Record<never, never>,
> {
  readonly #script: Script<Key, Shared>;
  readonly #own: readonly (keyof Own & string)[];

  constructor(definition: GroupDefinition<Key, Shared, Own>) {
    const { keys, args, own, returns, adds, uses = [] } = definition;
    this.#own = Object.keys(own);
    this.#script = new Script<Key, Shared>({
      keys,
      args,
      returns: `{replies to each call, ${adds ?? 'nothing'}}; a reply: ${returns} {'refused', error}`,
      uses,
      lua: luaOf(definition, Object.keys(args).length),
    });
  }

  /** By which Redis is asked to run it. */
  get sha(): string {
    return this.#script.sha;
  }

  get source(): string {
    return this.#script.source;
  }

  async run(redis: RedisClient, { keys, args, calls }: GroupCall<Key, Shared, Own>): Promise<GroupReply> {
    const moreArgs = ownArguments(calls.map((call) => this.#own.map((name) => asText(call[name]))));
    const [replies = [], added = null] = listOf(await this.#script.run(redis, { keys, args, moreArgs }));
    return { replies: listOf(replies).map(replyOrError), added };
  }
}

/**
 * What the calls have of their own: the places that differ among them, from 1, then all that the first call has, then what the others have at these places.
 * Most places do not differ, and each argument costs Redis 0.2 µs and more. The first place is always sent: it tells how many calls there are.
 */
function ownArguments(calls: readonly (readonly (string | number)[])[]): readonly (string | number)[] {
  const [first, ...others] = calls;
  if (!first) return [];
  const differs = first.map((value, place) => place === 0 || others.some((other) => other[place] !== value));
  const places = differs.flatMap((isSent, place) => (isSent ? [place + 1] : [])).join(' ');
  return [places, ...first, ...others.flatMap((other) => other.filter((_, place) => differs[place]))];
}

function luaOf(
  { own, before, one, after }: GroupDefinition<string, Record<string, ArgumentKind>, Record<string, ArgumentKind>>,
  shared: number,
): string {
  const names = Object.keys(own);
  const values = Object.values(own).map((kind, index) => valueOf(kind, `own[${index + 1}]`));
  return `${ownOf(names, shared)}
${before.trim()}
local function one(${names.join(', ')})
${one.trim()}
end
local replies, at = {}, ${shared + 1 + names.length}
while own[1] do
  local isDone, reply = pcall(one, ${values.join(', ')})
  if not isDone then reply = {'refused', type(reply) == 'table' and reply.err or tostring(reply)} end
  replies[#replies + 1] = reply
  if at >= #ARGV then break end
  for n, place in ipairs(differing) do own[place] = ARGV[at + n] end
  at = at + #differing
end
local function addAll()
${after.trim()}
end
return {replies, addAll() or false}`;
}

/**
 * `own`: what the first call has of its own. `eachOwn(name)`: what the calls of the group have under that name, in their order. Lua's `unpack` holds
 * a group.
 */
function ownOf(names: readonly string[], shared: number): string {
  const places = names.map((name, index) => `${name} = ${index + 1}`);
  return `
local own, differing = {unpack(ARGV, ${shared + 2}, ${shared + 1 + names.length})}, {}
for place in string.gmatch(ARGV[${shared + 1}] or '', '%d+') do differing[#differing + 1] = tonumber(place) end
local function eachOwn(name)
  local wanted, column = ({${places.join(', ')}})[name], nil
  for n, place in ipairs(differing) do if place == wanted then column = n end end
  local list = {ARGV[${shared + 1} + wanted]}
  for at = ${shared + 1 + names.length}, #ARGV - 1, math.max(1, #differing) do list[#list + 1] = column and ARGV[at + column] or list[1] end
  return list
end`.trim();
}

/** What Redis says of a call that it refuses. */
class ScriptRefusal extends Error {
  override readonly name = 'ReplyError';
}

function replyOrError(reply: ScriptReply): ScriptReply | Error {
  return Array.isArray(reply) && reply[0] === 'refused' ? new ScriptRefusal(String(reply[1])) : reply;
}

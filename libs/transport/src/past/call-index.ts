import type { RedisClient } from '../redis/redis-client.js';
import { mostRestMs, type JobState } from '#lib/contracts';
import { recordLifeMs } from '../redis/lives.js';
import type { RedisKeys } from '../redis/redis-keys.js';
import { listOf } from '../redis/script.js';
import { idsBehind } from '../scripts/ids-behind.js';
import { decodeCall, encodeCall, type ListedCall } from './listed-call.js';

const hourMs = 3_600_000;
/**
 * The newest calls that a list keeps: the list of all, and each other.
 * @limit storage: calls in the live list of all; older ones are in the history
 */
const mostOfAll = 100_000;
/** @limit storage: calls in a live list of a tenant, user or tool; older ones are in the history */
const mostOfOne = 20_000;
/** A list is cut once in so many writes. */
const cutEvery = 8;
/** Calls at rest stay open for a year. */
const openListMs = mostRestMs + recordLifeMs;
/** What the names of lists of open calls begin with. */
const openNames = '["state","open"';
/** Calls that one command reads. */
const readCalls = 500;
/** Calls of one entry of the feed, and entries that it keeps: some minutes of a busy system. */
const entryCalls = 20;
const feedEntries = 2_000;

/**
 * A list of job ids by the time of their acceptance. Those by tool, error and state exist for everybody's and for each tenant's, whose
 * calls no other tenant pushes out.
 */
export type CallList =
  | readonly ['all']
  | readonly ['tenant' | 'who', string]
  | readonly ['tool' | 'code', string, tenantId: string | null]
  | readonly ['state', ListedState, tenantId: string | null];

type ListedState = 'open' | 'failed' | 'cancelled';

export interface ListedId {
  readonly jobId: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

export interface FeedEntry {
  readonly id: string;
  readonly calls: readonly ListedCall[];
}

/**
 * Lists of calls over all domains, for people who look for one: by tenant, caller, tool, error and state. They are written beside the
 * calls, in batches, so they are late by a moment, and no call waits for them. Each list is bounded and lives for a day; those of open calls for a year,
 * as calls at rest do.
 */
export class CallIndex {
  readonly #redis: RedisClient;
  readonly #keys: RedisKeys;
  #writes = 0;

  /** @param redis fails at once while Redis is away */
  constructor(redis: RedisClient, keys: RedisKeys) {
    this.#redis = redis;
    this.#keys = keys;
  }

  /** Writes calls that have begun, and calls that have ended, and tells the feed. Writing twice is the same as once. */
  async write(calls: readonly ListedCall[]): Promise<void> {
    const pipeline = this.#redis.pipeline();
    const texts = new Map(calls.map((one) => [one, encodeCall(one)]));
    const isCut = this.#writes++ % cutEvery === 0;
    for (const [name, members] of listsOf(calls)) {
      const key = this.#keys.callList(name);
      pipeline.zadd(key, ...members);
      if (isCut) pipeline.zremrangebyrank(key, 0, name === '["all"]' ? -mostOfAll - 1 : -mostOfOne - 1);
      pipeline.pexpire(key, name.startsWith(openNames) ? openListMs : recordLifeMs);
    }
    const ended = calls.filter(isEnded);
    for (const [list, jobIds] of openListsOf(ended)) pipeline.zrem(this.#keys.callList(list), ...jobIds);
    for (const [hour, some] of Map.groupBy(ended, ({ call }) => hourOf(Date.parse(call.created_at)))) {
      const key = this.#keys.callRows(hour);
      pipeline.hset(key, ...some.flatMap((one) => [one.call.job_id, texts.get(one) ?? '']));
      pipeline.pexpire(key, recordLifeMs + hourMs);
    }
    for (let from = 0; from < calls.length; from += entryCalls) {
      const fields = calls.slice(from, from + entryCalls).flatMap((one) => (isEnded(one) ? placeOf(one) : ['begun', texts.get(one) ?? '']));
      pipeline.xadd(this.#keys.callFeed(), 'MAXLEN', '~', feedEntries, '*', ...fields);
    }
    pipeline.pexpire(this.#keys.callFeed(), hourMs);
    pipeline.publish(this.#keys.callFeed(), '');
    const replies = (await pipeline.exec()) ?? [];
    const fault = replies.find(([error]) => error)?.[0];
    if (fault) throw fault;
  }

  /** Which of some lists is the shortest: whatever is in all of them is in it. */
  async shortest(lists: readonly CallList[]): Promise<number> {
    const counts = await Promise.all(lists.map(async (list) => this.#redis.zcard(this.#keys.callList(nameOf(list)))));
    return counts.indexOf(Math.min(...counts));
  }

  /** Ids of a list, newest first: those that were accepted before a time, or those behind one of them. */
  async ids(
    list: CallList,
    { before, behind, limit }: { readonly before: number; readonly behind: ListedId | null; readonly limit: number },
  ): Promise<readonly ListedId[]> {
    const key = this.#keys.callList(nameOf(list));
    const next = behind && (await idsBehind.run(this.#redis, { keys: { list: key }, args: { jobId: behind.jobId, limit } }));
    if (next !== null) return pairsIn(listOf(next).map(String));
    const from = behind ? behind.createdAt : before - 1;
    const ids = pairsIn(await this.#redis.zrevrangebyscore(key, from, '-inf', 'WITHSCORES', 'LIMIT', 0, limit));
    // It has left the list, where ids of one millisecond stand in the order of their texts.
    return behind ? ids.filter(({ jobId, createdAt }) => createdAt < behind.createdAt || jobId < behind.jobId) : ids;
  }

  /** What is known of ended calls, by their ids. An open call has nothing here: its record knows how it stands. */
  async ended(ids: readonly ListedId[]): Promise<ReadonlyMap<string, ListedCall>> {
    const calls = new Map<string, ListedCall>();
    for (const [hour, all] of Map.groupBy(ids, ({ createdAt }) => hourOf(createdAt)))
      for (let from = 0; from < all.length; from += readCalls) {
        const jobIds = all.slice(from, from + readCalls).map(({ jobId }) => jobId);
        for (const text of await this.#redis.hmget(this.#keys.callRows(hour), ...jobIds)) {
          const one = text === null ? null : decodeCall(text);
          if (one) calls.set(one.call.job_id, one);
        }
      }
    return calls;
  }

  /** Takes calls whose records have ended off a list of open ones. */
  async close(list: CallList, jobIds: readonly string[]): Promise<void> {
    if (list[0] === 'state' && list[1] === 'open' && jobIds.length > 0)
      await this.#redis.zrem(this.#keys.callList(nameOf(list)), ...jobIds);
  }

  /** Entries of the feed from a place on, oldest first. A call that has ended meanwhile is shown as ended. */
  async feedFrom(place: string): Promise<readonly FeedEntry[]> {
    const entries = await this.#redis.xrange(this.#keys.callFeed(), place, '+', 'COUNT', feedEntries);
    const decoded = entries.map(([id, fields]) => ({ id, told: toldIn(fields) }));
    const ended = await this.ended(decoded.flatMap(({ told }) => told));
    return decoded.map(({ id, told }) => ({ id, calls: told.flatMap(({ jobId, begun }) => ended.get(jobId) ?? begun ?? []) }));
  }

  /** The place of the newest entry of the feed. */
  async feedEnd(): Promise<string> {
    const [newest] = await this.#redis.xrevrange(this.#keys.callFeed(), '+', '-', 'COUNT', 1);
    return newest?.[0] ?? '0-0';
  }

  /** Whether the feed still has the entry of a place, so that nothing after it is missing. */
  async hasPlace(place: string): Promise<boolean> {
    return (await this.#redis.xrange(this.#keys.callFeed(), place, place)).length > 0;
  }
}

/** The lists with what is added to each: scores and members in turns. */
function listsOf(calls: readonly ListedCall[]): ReadonlyMap<string, (string | number)[]> {
  const lists = new Map<string, (string | number)[]>();
  for (const one of calls) {
    const createdAt = Date.parse(one.call.created_at);
    for (const list of membershipsOf(one)) {
      const name = nameOf(list);
      const members = lists.get(name);
      if (members) members.push(createdAt, one.call.job_id);
      else lists.set(name, [createdAt, one.call.job_id]);
    }
  }
  return lists;
}

/** An end names every list again: nobody need have written the beginning. */
function membershipsOf(one: ListedCall): readonly CallList[] {
  const { tenant_id, tool_name, state, error } = one.call;
  const codes = new Set(error ? [error.code, ...(error.native_code === null ? [] : [error.native_code])] : []);
  const listed = listedState(state);
  return [
    ['all'],
    ['tenant', tenant_id],
    ['who', one.who],
    ['tool', tool_name, null],
    ['tool', tool_name, tenant_id],
    ...[...codes].flatMap((code): CallList[] => [
      ['code', code, null],
      ['code', code, tenant_id],
    ]),
    ...(listed ? listsOfState(listed, tenant_id) : []),
  ];
}

function listsOfState(state: ListedState, tenantId: string): readonly CallList[] {
  return [
    ['state', state, null],
    ['state', state, tenantId],
  ];
}

/** The lists of open calls that have some calls, with the ids of these. */
function openListsOf(calls: readonly ListedCall[]): ReadonlyMap<string, readonly string[]> {
  const lists = calls.flatMap(({ call }) => listsOfState('open', call.tenant_id).map((list) => [nameOf(list), call.job_id] as const));
  return new Map([...Map.groupBy(lists, ([name]) => name)].map(([name, some]) => [name, some.map(([, jobId]) => jobId)]));
}

/** The name of a state in the lists; null for successes, which are most of all and have none. */
export function listedState(state: JobState): ListedState | null {
  if (state === 'completed') return null;
  return state === 'failed' || state === 'cancelled' ? state : 'open';
}

function pairsIn(flat: readonly string[]): readonly ListedId[] {
  return Array.from({ length: flat.length / 2 }, (_, index) => ({ jobId: flat[index * 2] ?? '', createdAt: Number(flat[index * 2 + 1]) }));
}

/** An ended call in the feed: where its row is. */
function placeOf({ call }: ListedCall): string[] {
  return ['ended', `${Date.parse(call.created_at)} ${call.job_id}`];
}

interface ToldCall extends ListedId {
  /** As it was when it began; null for one whose end is told. */
  readonly begun: ListedCall | null;
}

/** The calls of an entry of the feed: names and values in turns. */
function toldIn(fields: readonly string[]): readonly ToldCall[] {
  return fields.flatMap((name, index): ToldCall[] => {
    const value = fields[index + 1];
    if (index % 2 === 1 || value === undefined) return [];
    if (name === 'begun') {
      const begun = decodeCall(value);
      return [{ jobId: begun.call.job_id, createdAt: Date.parse(begun.call.created_at), begun }];
    }
    const [createdAt = '', jobId = ''] = value.split(' ');
    return [{ jobId, createdAt: Number(createdAt), begun: null }];
  });
}

function isEnded({ call }: ListedCall): boolean {
  return call.finished_at !== null;
}

function nameOf(list: CallList): string {
  return JSON.stringify(list.filter((part) => part !== null));
}

function hourOf(at: number): number {
  return Math.floor(at / hourMs);
}

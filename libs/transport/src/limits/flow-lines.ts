import type { RedisClient } from '../redis/redis-client.js';
import type { RedisKeys } from '../redis/redis-keys.js';
import { listOf, type ScriptReply } from '../redis/script.js';
import { advanceDue, beginFlow, enterFlow, fieldsOfLine, leaveFlow, tuneFlow } from '../scripts/flow.js';
import { flowPatrol, flowPlaces, waitingFlows, waitingLines } from '../scripts/flow-lines.js';

/** What a flow lets through in each of its lines. Null for any number. */
export interface FlowBounds {
  /** Calls at a time. */
  readonly concurrency: number | null;
  /** Calls that begin in so many ms. */
  readonly rate: { readonly max: number; readonly perMs: number } | null;
}

/** Bounds, and the number under which they were read: those with the highest stay. */
export interface NumberedBounds extends FlowBounds {
  readonly number: number;
}

/** One of the lines that a call has to pass, by its name: `<flow>/<hash of the key>`. */
export interface EnteredLine {
  readonly line: string;
  /** Null where this process does not know them: those of before stay. */
  readonly bounds: NumberedBounds | null;
}

/** What every step tells besides: the calls that may go now, and when the rate of a line lets the next one go, in epoch ms. */
export interface LetGo {
  readonly granted: readonly string[];
  readonly due: number | null;
}

/** Where a call stands that waits. */
export interface LinePlace {
  readonly line: string;
  /** Calls that have a place in it. */
  readonly held: number;
  /** Calls that wait before it. */
  readonly before: number;
}

/** A line in which calls wait. */
export interface WaitingLine extends FlowBounds {
  readonly line: string;
  /** Calls that have a place in it. */
  readonly held: number;
  /** Calls that wait, and the first of them. */
  readonly waiting: number;
  readonly first: string;
  /** Since the first asked for its places, in ms. */
  readonly waitedMs: number;
}

/** A call that has places, or waits for them. */
export interface SeenCall {
  /** How often it has asked for them; '' where it has none, and waits for none. */
  readonly turn: string;
  /** Since it asked first, in ms. */
  readonly ageMs: number;
}

export type Entered = LetGo & ({ readonly kind: 'held' } | ({ readonly kind: 'waits' } & LinePlace));

/** Where calls wait for each other by the flows that they match, in Redis, over all gateways. Each method is one atomic step, by the clock of Redis. */
export class FlowLines {
  readonly #redis: RedisClient;
  readonly #keys: { readonly all: string; readonly due: string; readonly waiting: string };
  readonly #slot: string;
  readonly #passed: string;
  #isPassed = false;

  constructor(redis: RedisClient, keys: Pick<RedisKeys, 'flowSlot' | 'flowsPassed'>) {
    this.#redis = redis;
    this.#slot = keys.flowSlot();
    this.#passed = keys.flowsPassed();
    this.#keys = { all: `${this.#slot}all`, due: `${this.#slot}due`, waiting: `${this.#slot}waiting` };
  }

  /** Notes, before the first such call is stored, that calls have to pass flows: from now on every gateway looks after them. Later it costs nothing. */
  async pass(): Promise<void> {
    if (this.#isPassed) return;
    await this.#redis.set(this.#passed, '1');
    this.#isPassed = true;
  }

  /** Whether calls had to pass flows, now or ever. One command where they had not. */
  async arePassed(): Promise<boolean> {
    this.#isPassed ||= (await this.#redis.exists(this.#passed)) === 1;
    return this.#isPassed;
  }

  /** Takes a place in every line of a call, or in none: then it waits in one of them. A call that has places keeps them. */
  async enter(call: { readonly jobId: string; readonly tenant: string }, lines: readonly EnteredLine[]): Promise<Entered> {
    const moreArgs = lines.flatMap(({ line, bounds }) => [line, bounds?.number ?? '', ...boundArgs(bounds)]);
    if (moreArgs.length !== lines.length * fieldsOfLine) throw new TypeError('A line has another number of fields');
    const { first, letGo } = told(await enterFlow.run(this.#redis, { keys: this.#keys, args: { slot: this.#slot, ...call }, moreArgs }));
    const [kind, place, held, before] = first;
    if (kind === 'held') return { kind, ...letGo };
    return { kind: 'waits', line: lines[Number(place) - 1]?.line ?? '', held: Number(held), before: Number(before), ...letGo };
  }

  /** @param turn gives nothing up where it has asked again since. @param undoes true for a call that never ran: then no rate counts it */
  async leave(jobId: string, { turn = '', undoes = false }: { readonly turn?: string; readonly undoes?: boolean } = {}): Promise<LetGo> {
    return told(await leaveFlow.run(this.#redis, { keys: this.#keys, args: { slot: this.#slot, jobId, turn, undoes } })).letGo;
  }

  /** It has begun to run: rates count it from now on for their time. Once more changes nothing. */
  async begin(jobId: string): Promise<LetGo> {
    return told(await beginFlow.run(this.#redis, { keys: this.#keys, args: { slot: this.#slot, jobId } })).letGo;
  }

  /** Lets those go whose rate does so by now. */
  async advance(): Promise<LetGo> {
    return told(await advanceDue.run(this.#redis, { keys: this.#keys, args: { slot: this.#slot } })).letGo;
  }

  /** Gives a flow other bounds, and looks at some of its lines. @param cursor '0' first @returns the next one, '0' at the end */
  async tune(flow: string, bounds: NumberedBounds, cursor: string): Promise<LetGo & { readonly cursor: string }> {
    const [most = '', max = '', perMs = ''] = boundArgs(bounds);
    const args = { slot: this.#slot, flow, number: bounds.number, most, max, perMs, cursor };
    const { first, letGo } = told(await tuneFlow.run(this.#redis, { keys: this.#keys, args }));
    return { cursor: String(first[0]), ...letGo };
  }

  /** The flows in whose lines calls wait, how many, and the number of the bounds with which all its lines were looked at last. */
  async waiting(): Promise<readonly { readonly flow: string; readonly calls: number; readonly number: number | null }[]> {
    const flat = listOf(await waitingFlows.run(this.#redis, { keys: this.#keys, args: { slot: this.#slot } }));
    return inFields(flat, 3).map(([flow, calls, number]) => ({
      flow: String(flow),
      calls: Number(calls),
      number: number === '' ? null : Number(number),
    }));
  }

  /** The lines of some flows in which calls wait, in no order. @param most looks at no more lines than that */
  async waitingIn(flows: readonly string[], most: number): Promise<readonly WaitingLine[]> {
    if (flows.length === 0) return [];
    const found = await waitingLines.run(this.#redis, { keys: this.#keys, args: { slot: this.#slot, most }, moreArgs: flows });
    return inFields(listOf(found), 8).map(([line, held, waiting, first, waitedMs, concurrency, max, perMs]) => ({
      line: String(line),
      held: Number(held),
      waiting: Number(waiting),
      first: String(first),
      waitedMs: Number(waitedMs),
      concurrency: concurrency === '' ? null : Number(concurrency),
      rate: max === '' ? null : { max: Number(max), perMs: Number(perMs) },
    }));
  }

  /** Some calls that were not looked at for a while. */
  async patrol(limit: number): Promise<readonly (SeenCall & { readonly jobId: string })[]> {
    const flat = listOf(await flowPatrol.run(this.#redis, { keys: this.#keys, args: { slot: this.#slot, limit } }));
    return inFields(flat, 3).map(([jobId, turn, ageMs]) => ({ jobId: String(jobId), turn: String(turn), ageMs: Number(ageMs) }));
  }

  /** Where calls stand, in their order; null for one that waits in no line. */
  async places(jobIds: readonly string[]): Promise<readonly (LinePlace | null)[]> {
    return (await this.#where(jobIds)).map(([line, held, before]) =>
      line === '' ? null : { line: String(line), held: Number(held), before: Number(before) },
    );
  }

  async seen(jobId: string): Promise<SeenCall> {
    const [found] = await this.#where([jobId]);
    return { turn: String(found?.[3] ?? ''), ageMs: Number(found?.[4] ?? 0) };
  }

  async #where(moreArgs: readonly string[]): Promise<readonly (readonly ScriptReply[])[]> {
    if (moreArgs.length === 0) return [];
    return inFields(listOf(await flowPlaces.run(this.#redis, { keys: this.#keys, args: { slot: this.#slot }, moreArgs })), 5);
  }
}

function boundArgs(bounds: FlowBounds | null): readonly (string | number)[] {
  return [bounds?.concurrency ?? '', bounds?.rate?.max ?? '', bounds?.rate?.perMs ?? ''];
}

function told(reply: ScriptReply): { readonly first: readonly ScriptReply[]; readonly letGo: LetGo } {
  const [first, due, granted] = listOf(reply);
  return { first: listOf(first ?? []), letGo: { due: due === '' ? null : Number(due), granted: listOf(granted ?? []).map(String) } };
}

function inFields(flat: readonly ScriptReply[], count: number): readonly (readonly ScriptReply[])[] {
  return Array.from({ length: flat.length / count }, (_, index) => flat.slice(index * count, (index + 1) * count));
}

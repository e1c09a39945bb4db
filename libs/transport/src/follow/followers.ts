import type { Redis } from 'ioredis';
import { decode } from '../record/codec.js';
import { Follower, later, nothingSaid, orLater, type FollowerSources, type Notice } from './follower.js';
import { type RedisKeys } from '../redis/redis-keys.js';
import { domainOfJob } from '../redis/partition.js';
import type { CallReports } from '../past/call-reports.js';

/**
 * Notices are not stored. So a call that is followed for this long is looked at, and then this often: a lost notice costs no waiter its
 * answer. The calls have their turns one after the other, since there may be thousands of them.
 */
const recheckMs = 5_000;
const turns = 20;

/**
 * One subscription of this process serves everyone in it who waits for an invocation. A follower subscribes first and reads
 * second, so it misses no end, whichever side is late.
 */
export class Followers {
  readonly #subscriber: Redis;
  readonly #sources: FollowerSources & Partial<Pick<CallReports, 'changes'>>;
  readonly #byJob = new Map<string, FollowedCall>();
  readonly #domains = new Set<string>();
  #keys: RedisKeys | null = null;
  #timer: NodeJS.Timeout | undefined;
  #turn = 0;
  #isSubscribed = false;
  #onFlow: FlowListener = { placesAsked: () => undefined, begun: () => undefined, ended: () => undefined };

  /** @param sources with `changes`: told of the ends that are heard here */
  constructor(subscriber: Redis, sources: FollowerSources & Partial<Pick<CallReports, 'changes'>>) {
    this.#subscriber = subscriber;
    this.#sources = sources;
  }

  /** Subscribes to every domain. The subscription recovers by itself after an outage, and then every follower reads again. */
  async start(keys: RedisKeys, domainNames: readonly string[]): Promise<void> {
    this.#subscriber.on('message', (_channel, notice) => this.#onNotice(notice));
    this.#subscriber.on('ready', () => this.#notifyAll());
    this.#timer = setInterval(() => this.#nextTurn(), recheckMs / turns).unref();
    this.#keys = keys;
    await this.include(domainNames);
    this.#isSubscribed = true;
    // A process is called as soon as it listens, which may be a moment before.
    this.#notifyAll();
  }

  /** Has this told of calls that have to pass flows: of those that this process has accepted, when they end. */
  onFlow(listener: FlowListener): void {
    this.#onFlow = listener;
  }

  /** Follows further domains from now on. */
  async include(domainNames: readonly string[]): Promise<void> {
    const added = domainNames.filter((name) => !this.#domains.has(name));
    if (added.length === 0) return;
    await this.#subscriber.subscribe(...added.flatMap((name) => this.#channelsOf(name)));
    for (const name of added) this.#domains.add(name);
  }

  /** Whether the ends of calls of this domain are heard. */
  includes(domainName: string): boolean {
    return this.#domains.has(domainName);
  }

  /** Follows these domains no more, but for those of which somebody follows a call. */
  async exclude(domainNames: readonly string[]): Promise<void> {
    const followed = new Set([...this.#byJob.keys()].map(domainOfJob));
    const removed = domainNames.filter((name) => this.#domains.has(name) && !followed.has(name));
    if (removed.length === 0) return;
    // Whoever begins to follow one now subscribes anew, after this.
    for (const name of removed) this.#domains.delete(name);
    await this.#subscriber.unsubscribe(...removed.flatMap((name) => this.#channelsOf(name)));
  }

  #channelsOf(domainName: string): readonly string[] {
    if (!this.#keys) throw new Error('The followers have not been started');
    return [this.#keys.notices(domainName, this.#sources.store.listener), this.#keys.notices(domainName)];
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** False until the first subscription is made. Before that an end could go unnoticed. */
  get isSubscribed(): boolean {
    return this.#isSubscribed;
  }

  /** How many waiters and streams this process serves now. */
  get size(): number {
    return [...this.#byJob.values()].reduce((sum, { followers }) => sum + followers.size, 0);
  }

  /**
   * Follows from now on; dispose it when done.
   * @param isNew true before the invocation is enqueued: nothing can have been missed, so nothing is read first
   */
  follow(jobId: string, isNew: boolean): Follower {
    const call = this.#byJob.get(jobId) ?? { turn: this.#turn, followers: new Set() };
    const others = [...call.followers];
    // A new call tells whoever accepts it, and one that others follow here tells this process already.
    const isTold = isNew || others.some((other) => other.isTold);
    const isFresh = isNew || others.some((other) => other.isFresh);
    const include = async () => this.include([domainOfJob(jobId) ?? []].flat());
    const follower = new Follower(jobId, { ...this.#sources, isFresh, isTold, include, leave: () => this.#leave(follower) });
    call.followers.add(follower);
    this.#byJob.set(jobId, call);
    return follower;
  }

  #leave(follower: Follower): void {
    const followers = this.#byJob.get(follower.jobId)?.followers;
    followers?.delete(follower);
    if (followers?.size === 0) this.#byJob.delete(follower.jobId);
  }

  /** `new <job>[ <place> <time> <events>]`, `end <job>[ <ending>]`, or `ends` with the rest of the latter in a line each: see the scripts. */
  #onNotice(notice: string): void {
    if (notice.startsWith('ends\n')) for (const line of notice.split('\n').slice(1)) this.#onEnd(line);
    else if (notice.startsWith('end ')) this.#onEnd(notice.slice(4));
    else if (notice.startsWith('new ')) this.#onNew(notice.slice(4));
    else if (notice.startsWith('flow ')) this.#onFlow.placesAsked(notice.slice(5));
    else if (notice.startsWith('begun ')) this.#onFlow.begun(notice.slice(6));
  }

  #onNew(line: string): void {
    const [jobId, body] = cut(line);
    this.#notify(jobId, () => ({ ...nothingSaid, isOpen: true, events: eventsIn(body) }));
  }

  #onEnd(line: string): void {
    const [jobId, body] = cut(line);
    this.#onFlow.ended(jobId);
    this.#notify(jobId, () => {
      this.#sources.changes?.push({ jobId, state: 'ended elsewhere' });
      return { ...nothingSaid, ending: body ? decode.noticedEnding(body) : null };
    });
  }

  #notify(jobId: string, read: () => Notice): void {
    const followers = this.#byJob.get(jobId)?.followers;
    if (!followers) return;
    const notice = read();
    for (const follower of followers) follower.notify(notice);
  }

  #notifyAll(): void {
    for (const { followers } of this.#byJob.values()) for (const follower of followers) follower.notify(nothingSaid);
  }

  #nextTurn(): void {
    this.#turn = (this.#turn + 1) % turns;
    for (const [jobId, { turn, followers }] of this.#byJob) if (turn === this.#turn) void this.#lookAt(jobId, followers);
  }

  /** Once for all who follow the call; they read what they have missed. */
  async #lookAt(jobId: string, followers: ReadonlySet<Follower>): Promise<void> {
    const place = await orLater(this.#sources.store.readPlace(jobId));
    if (place === later) return;
    for (const follower of followers) if (follower.isBehind(place)) follower.notify(nothingSaid);
  }
}

/** What is heard of calls that have to pass flows. */
interface FlowListener {
  /** One has come out of a rest, or rests and needs its places no more. */
  readonly placesAsked: (jobId: string) => void;
  /** One with a rate begins to run. */
  readonly begun: (jobId: string) => void;
  /** Of every call whose end is heard. */
  readonly ended: (jobId: string) => void;
}

interface FollowedCall {
  /** When it is looked at, from 0: the moment at which it was first followed. */
  readonly turn: number;
  readonly followers: Set<Follower>;
}

/** A job id, and what stands behind it. */
function cut(line: string): readonly [string, string] {
  const end = line.indexOf(' ');
  return end === -1 ? [line, ''] : [line.slice(0, end), line.slice(end + 1)];
}

function eventsIn(body: string): Notice['events'] {
  const [, seq, at, events] = /^(\d+) (\d+) (.*)$/s.exec(body) ?? [];
  return events === undefined ? null : decode.events(events, { seq: Number(seq), at: Number(at) });
}

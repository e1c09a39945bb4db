import type { Redis } from 'ioredis';
import type { LoggedEvent } from '#lib/contracts';
import { decode, type Ending } from './codec.js';
import type { EventLog } from './event-log.js';
import type { InvocationStore } from './invocation-store.js';
import { domainOfJob, type RedisKeys } from './redis-keys.js';
import { runSink } from './runs/run-sink.js';

/**
 * Notices are not stored. So a call that is followed for this long is looked at, and then this often: a lost notice costs no waiter its
 * answer. The calls have their turns one after the other, since there may be thousands of them.
 */
const recheckMs = 5_000;
const turns = 20;

interface Sources {
  readonly store: Pick<InvocationStore, 'read' | 'readPlace' | 'listen' | 'listener'>;
  readonly log: Pick<EventLog, 'readAfter'>;
}

/**
 * One subscription of this process serves everyone in it who waits for an invocation. A follower subscribes first and reads
 * second, so it misses no end, whichever side is late.
 */
export class Followers {
  readonly #subscriber: Redis;
  readonly #sources: Sources;
  readonly #byJob = new Map<string, FollowedCall>();
  readonly #domains = new Set<string>();
  #keys: RedisKeys | null = null;
  #timer: NodeJS.Timeout | undefined;
  #turn = 0;
  #isSubscribed = false;

  constructor(subscriber: Redis, sources: Sources) {
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

  /** `new <job>[ <place> <time> <events>]` or `end <job>[ <ending>]`, see the scripts. */
  #onNotice(notice: string): void {
    const [, kind, jobId = '', body = ''] = /^(new|end) (\S+)(?: (.*))?$/s.exec(notice) ?? [];
    const followers = this.#byJob.get(jobId)?.followers;
    if (!followers) return;
    if (kind === 'end') runSink.push({ jobId, state: 'ended elsewhere' });
    const said =
      kind === 'new' ? { isOpen: true, events: eventsIn(body) } : { ...nothingSaid, ending: body ? decode.noticedEnding(body) : null };
    for (const follower of followers) follower.notify({ ...nothingSaid, ...said });
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

interface FollowedCall {
  /** When it is looked at, from 0: the moment at which it was first followed. */
  readonly turn: number;
  readonly followers: Set<Follower>;
}

interface Notice {
  /** Null when the notice has none: then the follower reads. */
  readonly ending: Ending | null;
  readonly isOpen: boolean;
  /** Those that were written just now; null when the notice has none. */
  readonly events: readonly LoggedEvent[] | null;
}

const nothingSaid: Notice = { ending: null, isOpen: false, events: null };

function eventsIn(body: string): Notice['events'] {
  const [, seq, at, events] = /^(\d+) (\d+) (.*)$/s.exec(body) ?? [];
  return events === undefined ? null : decode.events(events, { seq: Number(seq), at: Number(at) });
}

interface FollowerParts extends Sources {
  /** Nothing has happened to the call yet that is not told from now on. */
  readonly isFresh: boolean;
  readonly isTold: boolean;
  /** Hears of the call's domain. */
  readonly include: () => Promise<void>;
  readonly leave: () => void;
}

/** One waiter for one invocation. It keeps a notice that comes between two waits, so it misses nothing between them. */
export class Follower implements Disposable {
  readonly jobId: string;
  readonly #parts: Sources & Pick<FollowerParts, 'leave' | 'include'>;
  #isTold: boolean;
  #ending: Ending | null = null;
  #notified = false;
  /** Whether something may have happened that this follower has not read. */
  #mayHaveMissed: boolean;
  /** Of the only notice since the last look; null when there was none or were several: then the log is read, which gathers. */
  #events: Notice['events'] = null;
  /** Of the last event that was read. One who waits for the end reads none. */
  #place = Infinity;
  /** Whether the call was open at the latest notice: then its record need not be read. */
  #isOpen = false;
  #wake: (() => void) | null = null;

  constructor(jobId: string, parts: FollowerParts) {
    this.jobId = jobId;
    this.#parts = parts;
    this.#mayHaveMissed = !parts.isFresh;
    this.#isTold = parts.isTold;
  }

  /** Whether the call tells this process what happens to it. */
  get isTold(): boolean {
    return this.#isTold;
  }

  /** Whether nothing has happened to the call since it was accepted. */
  get isFresh(): boolean {
    return !this.#mayHaveMissed;
  }

  /** Whether a call, or one whose record is gone, has come further than what was read of it. */
  isBehind(call: { readonly isEnded: boolean; readonly seq: number } | null): boolean {
    return !call || call.isEnded || call.seq > this.#place;
  }

  notify({ ending, isOpen, events }: Notice): void {
    this.#ending ??= ending;
    this.#isOpen = isOpen;
    this.#events = this.#notified ? null : events;
    this.#mayHaveMissed = true;
    this.#notified = true;
    this.#wake?.();
  }

  /** The invocation's end, or null when the signal fires first or the record is gone. */
  async end(signal: AbortSignal): Promise<Ending | null> {
    if (this.#ending) return this.#ending;
    if (this.#mayHaveMissed) this.#notified = true;
    while (await this.#next(signal)) {
      if (this.#ending) return this.#ending;
      await this.#listen();
      const record = await orLater(this.#parts.store.read(this.jobId));
      if (record === null) return null;
      if (record !== later && record.ending) return record.ending;
    }
    return null;
  }

  /**
   * Every event after a place, once each and in order, as they come, up to and including the end. The first event, at place 1, follows from
   * the head of the call and is not among them. The signal ends the wait for further events; what was read is delivered. Ends without an end
   * when the log is gone.
   */
  async *events(after: number, signal: AbortSignal): AsyncGenerator<LoggedEvent> {
    this.#place = Math.max(after, 1);
    if (this.#mayHaveMissed) this.#notified = true;
    while (await this.#next(signal)) {
      const [isOpen, told] = [this.#isOpen, this.#events];
      this.#isOpen = false;
      this.#events = null;
      if (told && (told[0]?.seq ?? Infinity) <= this.#place + 1) {
        for (const entry of told.filter(({ seq }) => seq > this.#place)) {
          this.#place = entry.seq;
          yield entry;
        }
        continue;
      }
      await this.#listen();
      // What is known of the end is older than what is read of the log: nothing comes between the two.
      const known = this.#ending;
      const entries = await orLater(this.#parts.log.readAfter(this.jobId, this.#place));
      if (entries === later) continue;
      for (const entry of entries) {
        this.#place = entry.seq;
        yield entry;
        if (entry.kind === 'end') return;
      }
      if (known && after <= 1) return yield endOf(known, this.#place + 1);
      if (isOpen && entries.length > 0) continue;
      const record = await orLater(this.#parts.store.read(this.jobId));
      if (record === later) continue;
      if (record === null || (record.ending && record.lastSeq <= this.#place)) return;
      this.#ending = record.ending;
      if (record.ending && record.lastSeq === this.#place + 1) return yield endOf(record.ending, record.lastSeq);
      // More was written since the log was read, or the log is gone.
      if (record.ending && known && entries.length === 0) return;
      if (record.ending) this.#notified = true;
    }
  }

  [Symbol.dispose](): void {
    this.#parts.leave();
  }

  /** Before anything is read, so that nothing is missed between the two. Tried again with each read while Redis is away. */
  async #listen(): Promise<void> {
    if (this.#isTold) return;
    const listen = async () => {
      await this.#parts.include();
      await this.#parts.store.listen(this.jobId);
    };
    this.#isTold = (await orLater(listen())) !== later;
  }

  /** Waits for a notice; false when the signal has fired. */
  async #next(signal: AbortSignal): Promise<boolean> {
    if (!this.#notified && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const done = () => {
          signal.removeEventListener('abort', done);
          this.#wake = null;
          resolve();
        };
        this.#wake = done;
        signal.addEventListener('abort', done);
      });
    }
    this.#notified = false;
    return !signal.aborted;
  }
}

/** The last event of a call that ended so. */
function endOf({ finishedAt }: Ending, seq: number): LoggedEvent {
  return { kind: 'end', seq, at: finishedAt };
}

const later = Symbol('later');

/** While Redis is away a follower goes on waiting; the return of the subscription makes it read again. */
async function orLater<T>(reading: Promise<T>): Promise<T | typeof later> {
  return reading.catch(() => later);
}

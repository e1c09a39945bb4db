import type { Redis } from 'ioredis';
import type { LoggedEvent } from '#lib/contracts';
import { decode, type Ending } from './codec.js';
import type { EventLog } from './event-log.js';
import type { InvocationStore } from './invocation-store.js';
import type { RedisKeys } from './redis-keys.js';

/** Notices are not stored, so a lost one must not cost a waiter its answer: all followers look again this often. */
const recheckMs = 5_000;

interface Sources {
  readonly store: InvocationStore;
  readonly log: EventLog;
}

/**
 * One subscription of this process serves everybody here who waits for an invocation. Whoever follows subscribes first
 * and reads second, so no end is missed, whichever side is late.
 */
export class Followers {
  readonly #subscriber: Redis;
  readonly #sources: Sources;
  readonly #byJob = new Map<string, Set<Follower>>();
  #timer: NodeJS.Timeout | undefined;
  #isSubscribed = false;

  constructor(subscriber: Redis, sources: Sources) {
    this.#subscriber = subscriber;
    this.#sources = sources;
  }

  /** Subscribes to every domain. Comes back by itself after an outage, and then everybody looks again. */
  async start(keys: RedisKeys, domainNames: readonly string[]): Promise<void> {
    this.#subscriber.on('message', (_channel, notice) => this.#onNotice(notice));
    this.#subscriber.on('ready', () => this.#ringAll());
    this.#timer = setInterval(() => this.#ringAll(), recheckMs).unref();
    await this.#subscriber.subscribe(...domainNames.map((name) => keys.notices(name)));
    this.#isSubscribed = true;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** False until the first subscription is made: before that an end could come unnoticed. */
  get isSubscribed(): boolean {
    return this.#isSubscribed;
  }

  /** How many waiters and streams this process serves now. */
  get size(): number {
    return [...this.#byJob.values()].reduce((sum, set) => sum + set.size, 0);
  }

  /**
   * Follows from now on; dispose it when done.
   * @param isNew true before the invocation is enqueued: nothing can have been missed, so nothing is read first
   */
  follow(jobId: string, isNew: boolean): Follower {
    const follower = new Follower(jobId, { ...this.#sources, isNew, leave: () => this.#leave(follower) });
    this.#byJob.set(jobId, (this.#byJob.get(jobId) ?? new Set()).add(follower));
    return follower;
  }

  #leave(follower: Follower): void {
    const set = this.#byJob.get(follower.jobId);
    set?.delete(follower);
    if (set?.size === 0) this.#byJob.delete(follower.jobId);
  }

  /** `new <job>` or `end <job>[ <ending>]`, see the scripts. */
  #onNotice(notice: string): void {
    const [, jobId = '', body] = /^(?:new|end) (\S+)(?: (.*))?$/s.exec(notice) ?? [];
    const followers = this.#byJob.get(jobId);
    if (!followers) return;
    const ending = body ? decode.ending(body) : null;
    for (const follower of followers) follower.ring(ending);
  }

  #ringAll(): void {
    for (const followers of this.#byJob.values()) for (const follower of followers) follower.ring(null);
  }
}

/** One who waits. It remembers a ring that came while nobody listened, so nothing between two waits is missed. */
export class Follower implements Disposable {
  readonly jobId: string;
  readonly #parts: Sources & { readonly isNew: boolean; readonly leave: () => void };
  #ending: Ending | null = null;
  #rung = false;
  /** Whether the end may have come before anybody listened. */
  #mayHaveMissed: boolean;
  #wake: (() => void) | null = null;

  constructor(jobId: string, parts: Sources & { readonly isNew: boolean; readonly leave: () => void }) {
    this.jobId = jobId;
    this.#parts = parts;
    this.#mayHaveMissed = !parts.isNew;
  }

  ring(ending: Ending | null): void {
    this.#ending ??= ending;
    this.#rung = true;
    this.#wake?.();
  }

  /** The invocation's end, or null when the signal fires first or the record is gone. */
  async end(signal: AbortSignal): Promise<Ending | null> {
    if (this.#mayHaveMissed) this.#rung = true;
    while (await this.#next(signal)) {
      if (this.#ending) return this.#ending;
      const record = await orLater(this.#parts.store.read(this.jobId));
      if (record === null) return null;
      if (record !== later && record.ending) return record.ending;
    }
    return null;
  }

  /** Every entry of the log after a place, as they come, up to and including the end. */
  async *events(after: number, signal: AbortSignal): AsyncGenerator<LoggedEvent> {
    let place = after;
    this.#rung = true;
    this.#mayHaveMissed = true;
    while (await this.#next(signal)) {
      const entries = await orLater(this.#parts.log.readAfter(this.jobId, place));
      if (entries === later) continue;
      // A log that is gone never ends: the store has lost its data, or the record's life is over.
      if (entries.length === 0 && (await orLater(this.#parts.store.read(this.jobId))) === null) return;
      for (const entry of entries) {
        place = entry.seq;
        yield entry;
        if (entry.kind === 'end') return;
      }
    }
  }

  [Symbol.dispose](): void {
    this.#parts.leave();
  }

  /** Waits for a ring; false when the signal has fired. */
  async #next(signal: AbortSignal): Promise<boolean> {
    if (!this.#rung && !signal.aborted) {
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
    this.#rung = false;
    return !signal.aborted;
  }
}

const later = Symbol('later');

/** While Redis is away a follower waits on: its return rings the bell. */
async function orLater<T>(reading: Promise<T>): Promise<T | typeof later> {
  return reading.catch(() => later);
}

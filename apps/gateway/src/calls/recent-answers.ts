import type { Redis } from 'ioredis';
import type { ReadAnswers } from '#lib/transport';
import type { CachedAnswer } from './accepted-call.js';

/** How long an answer is given again without asking Redis. A change of the data behind it takes effect within this time. */
const freshMs = 1_000;
/** After so long Redis is asked whether it is as it was, while it is given on. */
const aheadMs = 600;
const keptAnswers = 10_000;
/** Characters of the answers that are kept, all together. */
const keptCharacters = 16 * 1_048_576;

interface Kept {
  readonly answer: CachedAnswer;
  /** When Redis was asked, by the shared clock, by which the entry in Redis ends too. */
  readonly at: number;
  readonly endsAt: number;
  /** Whether Redis is asked again. */
  isAsked: boolean;
}

/**
 * Answers of the cache that this gateway has read within the last second, in front of the cache in Redis. Keys hold who may share an
 * answer, as they do there.
 */
export class RecentAnswers {
  readonly #read: Pick<ReadAnswers, 'isCurrent'>;
  readonly #kept = new Map<string, Kept>();
  #characters = 0;

  constructor(read: Pick<ReadAnswers, 'isCurrent'>) {
    this.#read = read;
  }

  /** The answer with the life that is left to it. One that is asked for again and again stays here for as long as it is in Redis. */
  find(key: string, now: number): CachedAnswer | null {
    const kept = this.#kept.get(key);
    if (!kept || !isFresh(kept.at, now)) return null;
    const leftMs = kept.endsAt - now;
    if (leftMs <= 0) return null;
    if (!kept.isAsked && now - kept.at >= aheadMs) void this.#askAgain(key, kept, now);
    return { ...kept.answer, leftMs };
  }

  /** Forgets everything whenever data behind cached answers has changed. A notice that is lost costs the rest of a second. */
  async follow(subscriber: Redis, channels: readonly string[]): Promise<void> {
    subscriber.on('message', (channel) => {
      if (channels.includes(channel)) this.#forgetAll();
    });
    await subscriber.subscribe(...channels);
  }

  /** @param readAt when Redis was asked, by the shared clock */
  keep(key: string, answer: CachedAnswer, readAt: number): void {
    this.#keep(key, { answer, at: readAt, endsAt: readAt + answer.leftMs, isAsked: false });
  }

  #keep(key: string, kept: Kept): void {
    this.#forget(key);
    const { length: characters } = kept.answer.text;
    if (characters > keptCharacters) return;
    // In the order in which they were kept.
    for (const [oldest, { at }] of this.#kept) {
      const isOver = this.#kept.size >= keptAnswers || this.#characters + characters > keptCharacters;
      if (!isOver && isFresh(at, kept.at)) break;
      this.#forget(oldest);
    }
    this.#characters += characters;
    this.#kept.set(key, kept);
  }

  /** Without a reply it ends with its second. */
  async #askAgain(key: string, kept: Kept, now: number): Promise<void> {
    kept.isAsked = true;
    const { partition, text, entry } = kept.answer;
    const isCurrent = await this.#read.isCurrent(partition, key, { text, cachedAt: entry.cachedAt }).catch(() => null);
    // Meanwhile it may have been forgotten, or read anew.
    if (isCurrent === null || this.#kept.get(key) !== kept) return;
    if (isCurrent) this.#keep(key, { ...kept, at: now, isAsked: false });
    else this.#forget(key);
  }

  #forget(key: string): void {
    const kept = this.#kept.get(key);
    if (!kept) return;
    this.#kept.delete(key);
    this.#characters -= kept.answer.text.length;
  }

  #forgetAll(): void {
    this.#kept.clear();
    this.#characters = 0;
  }
}

/** False also when the clock was set back. */
function isFresh(at: number, now: number): boolean {
  return now >= at && now - at < freshMs;
}

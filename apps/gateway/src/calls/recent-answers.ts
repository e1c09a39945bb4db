import type { Redis } from 'ioredis';
import type { CachedAnswer } from './accepted-call.js';

/** How long an answer is given again without asking Redis. A change of the data behind it takes effect within this time. */
const freshMs = 1_000;
/** After so long one caller asks Redis again, while the others still get the answer: they need not all wait for it at once. */
const aheadMs = 700;
const keptAnswers = 10_000;
/** Characters of the answers that are kept, all together. */
const keptCharacters = 16 * 1_048_576;

interface Kept {
  readonly answer: CachedAnswer;
  /** By the shared clock, by which the entry in Redis ends too. */
  readonly at: number;
  /** Whether somebody asks Redis again. */
  isAsked: boolean;
}

/**
 * Answers of the cache that this gateway has read within the last second, in front of the cache in Redis. Keys hold who may share an
 * answer, as they do there.
 */
export class RecentAnswers {
  readonly #kept = new Map<string, Kept>();
  #characters = 0;

  /** The answer with the life that is left to it. Null where there is none, and for the one caller who is to ask again. */
  find(key: string, now: number): CachedAnswer | null {
    const kept = this.#kept.get(key);
    if (kept && isDue(kept, now)) {
      kept.isAsked = true;
      return null;
    }
    return this.peek(key, now);
  }

  /** The same for who does not ask again: null also where somebody has to. */
  peek(key: string, now: number): CachedAnswer | null {
    const kept = this.#kept.get(key);
    if (!kept || !isFresh(kept.at, now) || isDue(kept, now)) return null;
    const leftMs = kept.answer.leftMs - (now - kept.at);
    return leftMs > 0 ? { ...kept.answer, leftMs } : null;
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
    this.#forget(key);
    if (answer.characters > keptCharacters) return;
    // In the order in which they were kept.
    for (const [oldest, { at }] of this.#kept) {
      const isOver = this.#kept.size >= keptAnswers || this.#characters + answer.characters > keptCharacters;
      if (!isOver && isFresh(at, readAt)) break;
      this.#forget(oldest);
    }
    this.#characters += answer.characters;
    this.#kept.set(key, { answer, at: readAt, isAsked: false });
  }

  #forget(key: string): void {
    const kept = this.#kept.get(key);
    if (!kept) return;
    this.#kept.delete(key);
    this.#characters -= kept.answer.characters;
  }

  #forgetAll(): void {
    this.#kept.clear();
    this.#characters = 0;
  }
}

/** Whether it is time that somebody asks Redis again. */
function isDue({ at, isAsked }: Kept, now: number): boolean {
  return !isAsked && isFresh(at, now) && now - at >= aheadMs;
}

/** False also when the clock was set back. */
function isFresh(at: number, now: number): boolean {
  return now >= at && now - at < freshMs;
}

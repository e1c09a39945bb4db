import type { Redis } from 'ioredis';
import { RecentMap } from '#lib/platform';
import { sharedClock } from '#lib/transport';
import type { CachedAnswer } from './invocation.js';

/** How long an answer is given again without asking Redis. A change of the data behind it takes effect within this time. */
const freshMs = 1_000;
const keptAnswers = 2_000;
/** Characters of the answers that are kept, all together. */
const keptCharacters = 16 * 1_048_576;

interface Kept {
  readonly answer: CachedAnswer;
  /** By the shared clock, by which the entry in Redis ends too. */
  readonly at: number;
}

/**
 * Answers of the cache that this gateway has read within the last second, in front of the cache in Redis. Keys hold who may share an
 * answer, as they do there.
 */
export class RecentAnswers {
  readonly #kept = new RecentMap<string, Kept>(keptAnswers);
  #characters = 0;
  #since = 0;

  /** The answer with the life that is left to it, or null. */
  find(key: string, now = sharedClock.now()): CachedAnswer | null {
    const kept = this.#kept.get(key);
    if (!kept || !isFresh(kept.at, now)) return null;
    const leftMs = kept.answer.leftMs - (now - kept.at);
    return leftMs > 0 ? { ...kept.answer, leftMs } : null;
  }

  /** Forgets everything whenever data behind cached answers has changed. A notice that is lost costs the rest of a second. */
  async follow(subscriber: Redis, channels: readonly string[]): Promise<void> {
    subscriber.on('message', (channel) => {
      if (channels.includes(channel)) this.#kept.clear();
    });
    await subscriber.subscribe(...channels);
  }

  /** @param readAt when Redis was asked, by the shared clock */
  keep(key: string, answer: CachedAnswer, readAt: number): void {
    // After a second nothing that was kept before is of use.
    if (!isFresh(this.#since, readAt) || this.#characters + answer.characters > keptCharacters) {
      this.#kept.clear();
      this.#characters = 0;
      this.#since = readAt;
    }
    if (answer.characters > keptCharacters) return;
    this.#characters += answer.characters;
    this.#kept.set(key, { answer, at: readAt });
  }
}

/** False also when the clock was set back. */
function isFresh(at: number, now: number): boolean {
  return now >= at && now - at < freshMs;
}

import type { Redis } from 'ioredis';
import type { Domain } from '#lib/contracts';
import { RecentMap } from '#lib/platform';
import { offerMs, type InvocationStore, type RedisKeys, type TakenJob, type TurnWish } from '#lib/transport';
import type { Places } from './places.js';

interface OffersParts {
  readonly domain: Domain;
  readonly keys: RedisKeys;
  readonly subscriber: Redis;
  readonly store: Pick<InvocationStore, 'handed'>;
  readonly places: Places;
  readonly workerId: string;
  /** A job that was handed over, with a place. */
  readonly onJob: (job: TakenJob) => void;
  /** It waits for a place first: from now on its lock is renewed. */
  readonly onWaiting: (jobId: string) => void;
  /** An offer is over, and a turn must take it back. */
  readonly onOver: () => void;
}

/** Places that a worker offers at one partition. What comes together beyond them goes through the queue. */
const mostOffered = 4;
/** Then Redis has forgotten the offer. */
const overMs = offerMs + 10;
/** Jobs that were handed over: each may be heard of twice. */
const rememberedJobs = 1_000;

/**
 * The free places that a worker offers at one partition. A gateway hands it calls for them as it accepts them, and a message brings each. The turn after
 * that of the offer takes it back, or renews it; and it finds what was handed over and was not heard of, because messages may be lost.
 */
export class Offers {
  readonly #parts: OffersParts;
  readonly #channel: string;
  /** The turn whose offer stands. */
  #turn: number | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;
  /** Places that nobody else gets meanwhile. */
  #kept = 0;
  readonly #handed = new RecentMap<string, true>(rememberedJobs);
  /** Those that no turn has been told of. */
  readonly #heard = new Set<string>();
  readonly #forget: () => void;

  constructor(parts: OffersParts) {
    this.#parts = parts;
    this.#channel = parts.keys.handed(parts.domain.name, parts.workerId);
    this.#forget = parts.places.onShort(() => this.#end());
  }

  /** Whether one stands. */
  get isOpen(): boolean {
    return this.#turn !== null;
  }

  /** Whether one stands that a turn must take back. */
  get isOver(): boolean {
    return this.#isOver;
  }

  async listen(): Promise<void> {
    this.#parts.subscriber.on('message', this.#onMessage);
    await this.#parts.subscriber.subscribe(this.#channel);
  }

  stop(): void {
    const { subscriber } = this.#parts;
    clearTimeout(this.#timer);
    this.#forget();
    this.#leave();
    subscriber.off('message', this.#onMessage);
    subscriber.unsubscribe(this.#channel).catch(() => undefined);
  }

  /** What a turn says of offers. @param offers whether it makes one */
  wish(offers: boolean): Required<Pick<TurnWish, 'offers' | 'closes'>> {
    return {
      offers: offers ? this.#keep() : 0,
      closes: this.#turn === null ? null : { turn: this.#turn, known: [...this.#heard] },
    };
  }

  /** The turn is written. @param found what was handed over before it, and was not heard of then */
  written(turn: number, { offers, closes }: Pick<TurnWish, 'offers' | 'closes'>, found: readonly TakenJob[]): void {
    for (const jobId of closes?.known ?? []) this.#heard.delete(jobId);
    for (const job of found) this.#onHanded(job);
    clearTimeout(this.#timer);
    this.#isOver = false;
    this.#turn = offers ? turn : null;
    if (!offers) return this.#leave();
    this.#timer = setTimeout(() => this.#end(), overMs).unref();
    // Somebody came while the turn was on its way.
    if (this.#parts.places.isShort) this.#end();
  }

  /** It holds no more, or somebody else needs the places: the next turn takes it back. */
  #end(): void {
    if (this.#turn === null || this.#isOver) return;
    this.#isOver = true;
    this.#parts.onOver();
  }

  readonly #onMessage = (channel: string, message: string): void => {
    if (channel !== this.#channel) return;
    for (const job of this.#parts.store.handed(message)) this.#onHanded(job);
  };

  #onHanded(job: TakenJob): void {
    if (this.#handed.get(job.jobId)) return;
    this.#handed.set(job.jobId, true);
    this.#heard.add(job.jobId);
    const { places, onJob, onWaiting } = this.#parts;
    if (this.#kept > 0) {
      this.#kept -= 1;
      return onJob(job);
    }
    // It was handed over as the offer ended.
    onWaiting(job.jobId);
    void places.enter().then(() => onJob(job));
  }

  /** Keeps places, and never the last one: another queue may need it. @returns how many */
  #keep(): number {
    const { places } = this.#parts;
    if (places.isShort) this.#leave();
    while (this.#kept < mostOffered && places.hasSpare && places.tryEnter()) this.#kept += 1;
    return this.#kept;
  }

  #leave(): void {
    for (; this.#kept > 0; this.#kept--) this.#parts.places.leave();
  }
}

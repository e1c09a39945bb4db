import { Injectable } from '@nestjs/common';
import { onceASecond } from '#lib/platform';
import type { FeedEntry } from '#lib/transport';
import { Stores } from '../stores.js';

/** Notices are not stored. The feed is read again this often, so that a lost notice costs nobody a call. */
const recheckMs = 5_000;
/** Entries that wait for a slow reader. One that is slower is disconnected, and resumes. */
const mostWaiting = 2_000;

/** Runs as they begin and end, for all readers of this process: it reads the feed once for all of them, and not while there are none. */
@Injectable()
export class CallFeed {
  readonly #readers = new Set<FeedReader>();
  /** Null until the first reader, and while there are none. */
  #place: string | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isReading = false;
  #isNoticed = false;
  readonly #report = onceASecond((error: unknown) =>
    this.stores.log.warn({ event: 'call-feed-fault', err: error }, 'the feed of calls could not be read; trying again'),
  );

  constructor(private readonly stores: Stores) {}

  /** The subscription recovers by itself after an outage. */
  start(): void {
    const { subscriber } = this.stores;
    const channel = this.stores.keys.callFeed();
    subscriber.on('message', (from) => {
      if (from === channel) this.#notice();
    });
    subscriber.subscribe(channel).catch(this.#report);
    this.#timer = setInterval(() => this.#notice(), recheckMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /**
   * Entries after a place, each once and in order, until the signal fires. Null first where the place is not known, with the place from
   * which on nothing is missing.
   * @param after an entry's id; null for the end of the feed
   */
  async *follow(after: string | null, signal: AbortSignal): AsyncGenerator<FeedEntry | { readonly id: string; readonly calls: null }> {
    const { callLists } = this.stores;
    using reader = this.#join(signal);
    // First of all, so that what comes while this one reads for itself reaches it by the notices.
    const end = await callLists.feedEnd();
    this.#place ??= end;
    let place = after !== null && (await callLists.hasPlace(after)) ? after : null;
    if (place === null) yield { id: (place = await callLists.feedEnd()), calls: null };
    // With the entry of the place itself: its reader may have had only a part of it.
    for (const entry of await callLists.feedFrom(place)) {
      place = entry.id;
      yield entry;
    }
    for await (const entry of reader.entries()) {
      if (!isAfter(entry.id, place)) continue;
      place = entry.id;
      yield entry;
    }
  }

  #join(signal: AbortSignal): FeedReader {
    const reader = new FeedReader(signal, () => void this.#readers.delete(reader));
    this.#readers.add(reader);
    return reader;
  }

  /** One read serves all notices that come while it has not begun. */
  #notice(): void {
    if (this.#readers.size === 0) this.#place = null;
    if (this.#place === null) return;
    this.#isNoticed = true;
    if (!this.#isReading) void this.#read();
  }

  async #read(): Promise<void> {
    const { callLists } = this.stores;
    this.#isReading = true;
    while (this.#isNoticed) {
      this.#isNoticed = false;
      try {
        for (const entry of await callLists.feedFrom(`(${this.#place}`)) {
          this.#place = entry.id;
          for (const reader of this.#readers) reader.push(entry);
        }
      } catch (error) {
        this.#report(error);
      }
    }
    this.#isReading = false;
  }
}

class FeedReader implements Disposable {
  readonly #signal: AbortSignal;
  readonly #leave: () => void;
  readonly #waiting: FeedEntry[] = [];
  #isLost = false;
  #wake: (() => void) | null = null;

  constructor(signal: AbortSignal, leave: () => void) {
    this.#signal = signal;
    this.#leave = leave;
    signal.addEventListener('abort', () => this.#wake?.());
  }

  push(entry: FeedEntry): void {
    if (this.#waiting.length >= mostWaiting) this.#isLost = true;
    else this.#waiting.push(entry);
    this.#wake?.();
  }

  async *entries(): AsyncGenerator<FeedEntry> {
    while (!this.#signal.aborted && !this.#isLost) {
      const entry = this.#waiting.shift();
      if (entry) yield entry;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  [Symbol.dispose](): void {
    this.#leave();
  }
}

/** Ids of a stream are a time in ms and a number. */
function isAfter(id: string, place: string): boolean {
  const [ms = 0, n = 0] = id.split('-').map(Number);
  const [placeMs = 0, placeN = 0] = place.split('-').map(Number);
  return ms > placeMs || (ms === placeMs && n > placeN);
}

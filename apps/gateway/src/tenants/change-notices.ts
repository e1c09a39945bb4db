import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { RedisClient } from '#lib/transport';

/** A gateway that hangs, or of a version that does not answer, holds up nobody for longer. It finds the change by itself. */
const mostMs = 1_000;

/** What notices need of the stores. */
export interface NoticeStores {
  readonly redis: Pick<RedisClient, 'publish'>;
  readonly subscriber: {
    readonly on: (event: 'message', listener: (channel: string, message: string) => void) => unknown;
    readonly subscribe: (channel: string) => Promise<unknown>;
  };
}

interface ChangeNoticesParts {
  readonly channel: string;
  /** Reads what has changed. @param what the first word of the message @returns whether that succeeded */
  readonly read: (what: string) => Promise<boolean>;
  readonly onFault: (error: unknown) => void;
}

/**
 * Tells every gateway of a change, and waits until each knows of it, so that the next request finds it wherever it arrives. A message is `changed <id>`, or
 * `known <id>` of a gateway that has read it. One without an id, as of an earlier version, waits for nobody.
 */
export class ChangeNotices {
  readonly #stores: NoticeStores;
  readonly #parts: ChangeNoticesParts;
  /** What counts the gateways that know of a change of this one, by its id. */
  readonly #waiting = new Map<string, () => void>();

  constructor(stores: NoticeStores, parts: ChangeNoticesParts) {
    this.#stores = stores;
    this.#parts = parts;
  }

  /** Rejects when Redis is away; once it is back, the notices come. */
  async start(): Promise<void> {
    const { subscriber } = this.#stores;
    const { channel, onFault } = this.#parts;
    subscriber.on('message', (from, message) => {
      if (from === channel) this.#hear(message).catch(onFault);
    });
    await subscriber.subscribe(channel);
  }

  /** After this gateway has read the change. Resolves when the others have, and after a second at the latest. In a cluster, as many as are at one node. */
  async tell(): Promise<void> {
    const id = randomUUID();
    const all = Promise.withResolvers<void>();
    let [known, gateways] = [0, Infinity];
    const count = (more: number): void => {
      known += more;
      if (known >= gateways) all.resolve();
    };
    this.#waiting.set(id, () => count(1));
    try {
      gateways = await this.#stores.redis.publish(this.#parts.channel, `changed ${id}`);
      count(0);
      await Promise.race([all.promise, wait(mostMs, undefined, { ref: false })]);
    } catch (error) {
      this.#parts.onFault(error);
    } finally {
      this.#waiting.delete(id);
    }
  }

  async #hear(message: string): Promise<void> {
    const [what = '', id = ''] = message.split(' ');
    const isOwn = this.#waiting.has(id);
    if (what === 'known') return this.#waiting.get(id)?.();
    const isKnown = isOwn || (await this.#parts.read(what));
    if (isKnown && id !== '') await this.#stores.redis.publish(this.#parts.channel, `known ${id}`);
  }
}

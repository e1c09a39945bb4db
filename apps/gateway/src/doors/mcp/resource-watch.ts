// Clients that listen for changes of resources of outside servers.
import { z } from 'zod';
import { outsideServerId, principal, type Caller } from '#lib/contracts';
import { Rounds, type Logger } from '#lib/platform';
import type { WatchedResource, WatchedResources } from '#lib/transport';
import type { Stores } from '../../stores.js';

/** @limit calls: resources of outside servers that a client of MCP listens for; INVALID_PARAMS */
export const mostOfClient = 100;
/** A client that listens says so again, well before its wish ends. */
const renewMs = 20_000;
/** A session of the older revisions whose client listens no more is remembered so long, so that it may come back. */
const sessionMs = 600_000;

/** A stream on which a client hears of changes. */
export interface Listening {
  readonly caller: Caller;
  /** By which the older revisions name what they have subscribed to; null for none. */
  readonly session: string | null;
  /** Addresses that it named when it began to listen. */
  readonly uris: readonly string[];
  /** The resource at an address that it may read now; null for none. */
  readonly resourceAt: (uri: string) => WatchedResource | null;
}

const filter = z.looseObject({
  method: z.literal('subscriptions/listen'),
  params: z.looseObject({ notifications: z.looseObject({ resourceSubscriptions: z.array(z.string()) }) }),
});

/** The addresses for whose changes a message asks to listen; empty for any other. */
export function urisListenedFor(body: unknown): readonly string[] {
  return filter.safeParse(body).data?.params.notifications.resourceSubscriptions ?? [];
}

/**
 * Remembers what clients of the older revisions have subscribed to, in Redis, because they say it to any gateway; and says again, while a
 * client listens, that what it listens for is wanted.
 */
export class ResourceWatch {
  readonly #listening = new Set<Listening>();
  readonly #rounds: Rounds;

  constructor(
    private readonly stores: Pick<Stores, 'redis' | 'keys'> & { readonly log: Pick<Logger, 'warn'> },
    private readonly watched: WatchedResources,
    everyMs = renewMs,
  ) {
    this.#rounds = new Rounds({
      everyMs,
      round: async () => this.#renew([...this.#listening]),
      onFault: (error) =>
        stores.log.warn({ event: 'resources-not-watched', err: error }, 'it could not be said which resources are watched'),
    });
    this.#rounds.start();
  }

  async stop(): Promise<void> {
    await this.#rounds.stop();
  }

  /** From now until disposed. */
  listen(listening: Listening): Disposable {
    this.#listening.add(listening);
    // What fails now is done by the next round.
    this.#renew([listening]).catch(() => undefined);
    return { [Symbol.dispose]: () => void this.#listening.delete(listening) };
  }

  /** @returns false where the client, or its tenant, has as many as it may */
  async subscribe({ caller, session, uri, resource }: Subscription & { readonly resource: WatchedResource }): Promise<boolean> {
    const { redis } = this.stores;
    const key = this.#keyOf(caller, session);
    const isNew = (await redis.sadd(key, uri)) === 1;
    await redis.pexpire(key, sessionMs);
    const hasRoom = !isNew || (await redis.scard(key)) <= mostOfClient;
    if (hasRoom && (await this.watched.want(caller.tenantId, [resource])).length === 0) return true;
    if (isNew) await redis.srem(key, uri);
    return false;
  }

  async unsubscribe({ caller, session, uri }: Subscription): Promise<void> {
    await this.stores.redis.srem(this.#keyOf(caller, session), uri);
  }

  /** What a session was subscribed to is over. */
  async end(caller: Caller, session: string): Promise<void> {
    await this.stores.redis.del(this.#keyOf(caller, session));
  }

  /** Whether a client hears of a resource, which it may read no more by now. */
  async hears(listening: Listening, resource: WatchedResource, uri: string): Promise<boolean> {
    if (!isSame(listening.resourceAt(uri), resource)) return false;
    if (listening.session === null) return listening.uris.includes(uri);
    return (await this.#urisOf(listening)).includes(uri);
  }

  async #renew(all: readonly Listening[]): Promise<void> {
    for (const [tenantId, ofTenant] of Map.groupBy(all, ({ caller }) => caller.tenantId)) {
      // Users may listen at one address with their own accounts, and an address may be another server in another view.
      const resources = new Map<string, WatchedResource>();
      for (const one of ofTenant)
        for (const uri of (await this.#urisOf(one)).slice(0, mostOfClient)) {
          const resource = one.resourceAt(uri);
          if (resource) resources.set(JSON.stringify(resource), resource);
        }
      await this.watched.want(tenantId, [...resources.values()]);
    }
  }

  async #urisOf({ caller, session, uris }: Listening): Promise<readonly string[]> {
    if (session === null) return uris;
    const { redis } = this.stores;
    const key = this.#keyOf(caller, session);
    await redis.pexpire(key, sessionMs);
    return redis.smembers(key);
  }

  #keyOf(caller: Caller, session: string): string {
    return this.stores.keys.mcpSubscriptions([principal(caller), caller.credentialId, session]);
  }
}

interface Subscription {
  readonly caller: Caller;
  readonly session: string;
  /** As the client names it. */
  readonly uri: string;
}

function isSame(one: WatchedResource | null, other: WatchedResource): boolean {
  const idOf = ({ tenant, server }: WatchedResource): string => outsideServerId({ tenantId: tenant, name: server });
  return one !== null && idOf(one) === idOf(other) && one.uri === other.uri && one.owner === other.owner;
}

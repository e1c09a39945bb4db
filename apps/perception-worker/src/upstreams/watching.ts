// What clients listen for, subscribed to at the servers.
import type { OutsideServer } from '#lib/contracts';
import type { Logger } from '#lib/platform';
import type { WatchedResource, WatchedResources } from '#lib/transport';
import type { ServerStore } from './server-store.js';
import type { Upstreams } from './upstreams.js';

/** Of one server. */
const mostOfServer = 500;
/** A server that could not be subscribed to is left alone so long, in ms. */
const pauseMs = 15_000;

interface WatchingParts {
  readonly watched: WatchedResources;
  readonly store: Pick<ServerStore, 'find' | 'resourceUpdated'>;
  readonly upstreams: Pick<Upstreams, 'watch'>;
  /** Names this process. */
  readonly worker: string;
  readonly log: Logger;
}

/**
 * Subscribes to the resources of outside servers that clients listen for. One worker does it for a server, and another one when it is lost;
 * a connection that breaks is opened anew. Each resource is told of once when it is subscribed to: it may have changed before.
 */
export class Watching {
  readonly #parts: WatchingParts;
  readonly #held = new Map<string, OutsideServer>();
  readonly #pausedUntil = new Map<string, number>();

  constructor(parts: WatchingParts) {
    this.#parts = parts;
  }

  async round(): Promise<void> {
    const wanted = await this.#parts.watched.byServer();
    const ended = [...this.#held].filter(([id]) => !wanted.has(id));
    await Promise.all([
      ...[...wanted].map(async ([id, resources]) => this.#watch(id, resources)),
      ...ended.map(async ([id, server]) => this.#leave(id, server)),
    ]);
  }

  async #watch(id: string, resources: readonly WatchedResource[]): Promise<void> {
    const { store, watched, worker, upstreams, log } = this.#parts;
    const [first] = resources;
    if (!first || (this.#pausedUntil.get(id) ?? 0) > performance.now()) return;
    try {
      const server = await store.find({ tenantId: first.tenant, name: first.server }, 0);
      // One that acts with accounts would have to be subscribed to for each of them.
      const held = this.#held.get(id);
      if (!server || server.kind !== 'mcp' || server.connection !== null || !(await watched.hold(id, worker))) {
        if (held) await this.#leave(id, held);
        return;
      }
      this.#held.set(id, server);
      const uris = new Set(resources.slice(0, mostOfServer).map(({ uri }) => uri));
      const onUpdated = (uri: string): void => store.resourceUpdated(server, uri);
      for (const uri of await upstreams.watch(server, uris, onUpdated)) onUpdated(uri);
    } catch (error) {
      this.#pausedUntil.set(id, performance.now() + pauseMs);
      log.warn(
        { event: 'outside-resources-not-watched', server: id, err: error },
        'resources of an outside server could not be subscribed to',
      );
    }
  }

  async #leave(id: string, server: OutsideServer): Promise<void> {
    this.#held.delete(id);
    await this.#parts.upstreams.watch(server, new Set(), () => undefined).catch(() => undefined);
  }
}

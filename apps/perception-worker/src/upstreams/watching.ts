// What clients listen for, subscribed to at the servers.
import type { Accounts } from '#lib/accounts';
import type { OutsideServer } from '#lib/contracts';
import type { Logger } from '#lib/platform';
import type { Leases, WatchedResources, WatchedServer } from '#lib/transport';
import type { ServerStore } from './server-store.js';
import type { Upstreams } from './upstreams.js';
import { accessOf, lacksAccount, withAccount } from './with-account.js';

/** Of one server. */
const mostOfServer = 500;
/** A server that could not be subscribed to is left alone so long, in ms; one whose caller has no account that serves, too. */
const pauseMs = 15_000;
/** How soon it is seen that an account was revoked, in ms. */
const accountMs = 5_000;
/** @limit outside servers: accounts of callers with which a worker listens for changes; other workers take more, and then nobody is told */
const mostAccounts = 100;
/** @limit a tenant: accounts of its users with which a worker listens for changes; other workers take more, and then nobody is told */
const mostOfTenant = 50;

interface WatchingParts {
  readonly watched: Pick<WatchedResources, 'byServer' | 'hold'>;
  readonly store: Pick<ServerStore, 'find' | 'resourceUpdated'>;
  readonly upstreams: Pick<Upstreams, 'watch' | 'leaveAccount'>;
  readonly accounts: Pick<Accounts, 'access'>;
  /** Of this process. */
  readonly leases: Pick<Leases, 'hold'>;
  readonly log: Logger;
}

interface Held {
  readonly server: OutsideServer;
  readonly of: WatchedServer['account'];
  /** The account that was used last. */
  account: string | null;
  /** What it listens for, and when the account was looked at, by `performance.now`. */
  uris: readonly string[];
  checkedAt: number;
}

/**
 * Subscribes to the resources of outside servers that clients listen for. One worker does it for a server, and another one when it is lost;
 * a connection that breaks is opened anew. Each resource is told of once when it is subscribed to: it may have changed before. A server that acts
 * with accounts is subscribed to for each caller, with the account of that caller, who alone is told.
 */
export class Watching {
  readonly #parts: WatchingParts;
  readonly #held = new Map<string, Held>();
  readonly #pausedUntil = new Map<string, number>();

  constructor(parts: WatchingParts) {
    this.#parts = parts;
  }

  async round(): Promise<void> {
    const wanted = await this.#parts.watched.byServer();
    const ended = [...this.#held.keys()].filter((key) => !wanted.has(key));
    for (const [key, until] of this.#pausedUntil) if (until < performance.now()) this.#pausedUntil.delete(key);
    await Promise.all([
      ...[...wanted].map(async ([key, watched]) => this.#watch(key, watched)),
      ...ended.map(async (key) => this.#leave(key)),
    ]);
  }

  async #watch(key: string, watched: WatchedServer): Promise<void> {
    const { log } = this.#parts;
    if (this.#pausedUntil.has(key)) return;
    try {
      await this.#subscribe(key, watched);
    } catch (error) {
      this.#pausedUntil.set(key, performance.now() + pauseMs);
      if (watched.account && lacksAccount(error)) return this.#leave(key);
      log.warn(
        { event: 'outside-resources-not-watched', server: watched.server, tenant: watched.tenant, err: error },
        'resources of an outside server could not be subscribed to',
      );
    }
  }

  async #subscribe(key: string, { tenant, server: name, account: of, uris: all }: WatchedServer): Promise<void> {
    const { store, watched, leases, upstreams, accounts } = this.#parts;
    const before = this.#held.get(key);
    if (!before && of && !this.#hasRoomFor(of.tenantId)) return;
    const server = await store.find({ tenantId: tenant, name }, 0);
    const isMeant = server?.kind === 'mcp' && (server.connection === null) === (of === null);
    if (!server || !isMeant || !(await watched.hold(key, leases))) return this.#leave(key);
    const uris = all.slice(0, mostOfServer);
    // Each look at an account reads the database.
    if (before?.of && before.server.approval === server.approval && isSame(before.uris, uris) && !isOld(before)) return;
    const held: Held = { server, of, account: before?.account ?? null, uris, checkedAt: performance.now() };
    this.#held.set(key, held);
    const onUpdated = (uri: string): void => {
      // One of an account that was revoked meanwhile may still be on its way.
      if (this.#held.get(key)?.account === held.account) store.resourceUpdated(server, uri, of?.owner);
    };
    const access = of && server.connection ? accessOf(accounts, of, server.connection) : null;
    const added = await withAccount(access, async (account) => {
      const used = account?.account.id ?? null;
      if (held.account !== null && held.account !== used) upstreams.leaveAccount(server, held.account);
      held.account = used;
      return upstreams.watch(server, { uris: new Set(uris), account }, onUpdated);
    });
    for (const uri of added) onUpdated(uri);
  }

  #hasRoomFor(tenantId: string): boolean {
    const all = [...this.#held.values()].flatMap(({ of }) => of ?? []);
    return all.length < mostAccounts && all.filter((one) => one.tenantId === tenantId).length < mostOfTenant;
  }

  async #leave(key: string): Promise<void> {
    const held = this.#held.get(key);
    if (!held) return;
    this.#held.delete(key);
    const { server, of, account } = held;
    const { upstreams } = this.#parts;
    if (account !== null) upstreams.leaveAccount(server, account);
    else if (!of) await upstreams.watch(server, { uris: new Set(), account: null }, () => undefined).catch(() => undefined);
  }
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  const had = new Set(one);
  return had.size === other.length && other.every((uri) => had.has(uri));
}

function isOld({ checkedAt }: Held): boolean {
  return performance.now() - checkedAt > accountMs;
}

import type { OutsideServer } from '#lib/contracts';
import { connectUpstream, type ConnectRules } from './connect.js';
import { connectionKey, Turns, type Connection } from './connection.js';
import { addressMs, KeptListening } from './kept-listening.js';
import { LeftSessions } from './left-sessions.js';
import { ServerAccount, type UsedAccount } from './server-account.js';
import type { ServerStore } from './server-store.js';

export interface UpstreamPoolParts {
  readonly rules: ConnectRules;
  readonly store: ServerStore;
  /** Of connections with accounts of users. */
  readonly sessions?: { readonly most: number; readonly idleMs: number };
}

/** Most connections with accounts of users that stay open, and how long nobody uses one before it is closed. */
const sessionLimits = { most: 200, idleMs: 300_000 };
/** @limit outside servers: processes of commands for one caller each that a worker keeps while no call uses them; the longest idle ends */
const mostIdleCommands = 10;
/** @limit outside servers: connections of a worker that wait to hear that somebody is done at an address; the oldest closes */
const mostListening = 100;
/** For a server to start and to agree on a revision, in ms. A command may have to be downloaded first. */
const connectMs = { url: 15_000, stdio: 120_000 } as const;

/**
 * Connections to outside servers, opened on demand: one per server, and for a server that acts with accounts of callers, or may ask for their
 * roots, and for a command that may ask of them at all, one per account or caller, which no other user's call is ever made on.
 */
export class UpstreamPool {
  readonly #parts: UpstreamPoolParts;
  readonly #connections = new Map<string, Connection>();
  /** Connections with accounts that nobody uses now. */
  readonly #left: LeftSessions<Connection>;
  readonly #leftCommands: LeftSessions<Connection>;
  readonly #listening = new KeptListening(mostListening);
  readonly #listeningCommands = new KeptListening(mostIdleCommands);

  constructor(parts: UpstreamPoolParts) {
    this.#parts = parts;
    const { sessions = sessionLimits } = parts;
    this.#left = new LeftSessions(sessions, (connection) => this.#retire(connection));
    // What is done at an address a command may know in its memory alone, so its process waits as long as that takes.
    const ofCommands = { most: Math.min(sessions.most, mostIdleCommands), idleMs: Math.max(sessions.idleMs, addressMs) };
    this.#leftCommands = new LeftSessions(ofCommands, (connection) => this.#retire(connection));
  }

  /** Whether there is a connection with this account; null for a server that needs none. */
  has(server: OutsideServer, used: UsedAccount | null): boolean {
    return this.#connections.has(connectionKey(server, { account: used?.account.id }));
  }

  /** A connection for one call, which `release` ends. @param owner the principal for whom alone it is, where it is for one */
  take(server: OutsideServer, used: UsedAccount | null, owner?: string): Connection {
    const connection = this.#connectionTo(server, used, owner);
    connection.calls += 1;
    this.#leftOf(connection).took(connection);
    return connection;
  }

  /** Ends the connection with an account that was used: whoever needs it next opens another one. */
  leaveAccount(server: OutsideServer, account: string): void {
    const connection = this.#connections.get(connectionKey(server, { account }));
    if (!connection) return;
    connection.addressUntil = -Infinity;
    this.#retire(connection);
  }

  /** Leaves servers that are registered no more, or in another way: a command would run, and a stream stay open, for nobody. */
  async leaveRemoved(): Promise<void> {
    const isGone = async (server: OutsideServer): Promise<boolean> =>
      (await this.#parts.store.find(server, server.approval))?.approval !== server.approval;
    for (const connection of this.#connections.values())
      if ((await isGone(connection.server)) && this.#connections.get(connection.key) === connection) {
        connection.addressUntil = -Infinity;
        this.#retire(connection);
      }
    await Promise.all([this.#listening.leave(isGone), this.#listeningCommands.leave(isGone)]);
  }

  async close(): Promise<void> {
    const open = [...this.#connections.values()];
    this.#connections.clear();
    this.#left.close();
    this.#leftCommands.close();
    // Nobody waits for one that is still being made, and a command may take minutes.
    for (const { isOpen, giveUp } of open) if (!isOpen) giveUp();
    const listening = [this.#listening.close(), this.#listeningCommands.close()];
    await Promise.allSettled([...listening, ...open.map(async ({ upstream }) => (await upstream).close())]);
  }

  /** Ends a call on a connection. One that is dropped, or not open yet, is closed with its last call. */
  release(connection: Connection, ended = 1): void {
    connection.calls -= ended;
    if (connection.calls > 0) return;
    // A command that takes long to start goes on: the next call finds it ready.
    if (!connection.isOpen && !connection.isCommand) {
      this.drop(connection);
      connection.giveUp();
    }
    if (this.#connections.get(connection.key) === connection) {
      if (connection.isOwn) this.#leftOf(connection).left(connection);
      return;
    }
    const { server, upstream: kept, isCommand, addressUntil } = connection;
    const untilMs = addressUntil - performance.now();
    if (untilMs > 0) (isCommand ? this.#listeningCommands : this.#listening).keep(server, kept, untilMs);
    else connection.upstream.then((upstream) => upstream.close()).catch(() => undefined);
  }

  /** Gives no new calls to a connection. */
  drop(connection: Connection): void {
    this.#leftOf(connection).took(connection);
    if (this.#connections.get(connection.key) === connection) this.#connections.delete(connection.key);
  }

  /** The connection for this approval. One for an older approval is retired. */
  #connectionTo(server: OutsideServer, used: UsedAccount | null, owner?: string): Connection {
    const key = connectionKey(server, { account: used?.account.id, owner });
    const known = this.#connections.get(key);
    if (known?.server.approval === server.approval) {
      if (used) known.account?.use(used);
      return known;
    }
    if (known) this.#retire(known);
    const account = used && new ServerAccount(used);
    const connecting = new AbortController();
    const giveUp = (): void => connecting.abort(new Error('nobody waits for the connection any more'));
    const isCommand = server.stdio !== null;
    const { store } = this.#parts;
    const secrets = { headers: store.headersOf(server), credentials: store.credentialsOf(server), account };
    const destination = { ...server, ...secrets, approved: server };
    const timeoutMs = Math.max(server.timeoutMs, isCommand ? connectMs.stdio : connectMs.url);
    const upstream = connectUpstream(destination, this.#parts.rules, { signal: connecting.signal, timeoutMs });
    const state = { isOpen: false, checkedAt: 0, calls: 0, faults: 0, addressUntil: -Infinity };
    const isOwn = account !== null || owner !== undefined;
    const turns = isCommand && isOwn ? new Turns() : null;
    const connection: Connection = { key, isOwn, account, upstream, giveUp, server, isCommand, turns, ...state };
    this.#connections.set(key, connection);
    upstream.then(
      (connected) => {
        connection.isOpen = true;
        connected.onClosed = () => this.drop(connection);
        connected.onToolsChanged = () => void (connection.checkedAt = 0);
        connected.onOffersChanged = () => store.offersChanged(server);
        connected.onOpened = (elicitationId) => store.addressOpened(server, elicitationId);
        connected.listen();
      },
      () => this.drop(connection),
    );
    return connection;
  }

  /** Lets running calls end, and gives no new ones to the connection. */
  #retire(connection: Connection): void {
    this.drop(connection);
    this.release(connection, 0);
  }

  #leftOf({ isCommand }: Connection): LeftSessions<Connection> {
    return isCommand ? this.#leftCommands : this.#left;
  }
}

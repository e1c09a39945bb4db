// Many clients on one PGlite, which is a single Postgres session. A client's messages up to Sync (or one simple query) run as
// a whole, and a client in a transaction has the session to itself until it ends. Anything finer mixes two clients' statements:
// portals vanish, errors reach the wrong client.
import type { PGlite } from '@electric-sql/pglite';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { prefixStatements, readGroups, type Group } from './wire-messages.js';

/** A client that is idle in a transaction blocks all others. Postgres calls this idle_in_transaction_session_timeout. */
const idleInTransactionMs = 30_000;

interface Client {
  readonly id: number;
  readonly socket: Socket;
}

/** Who has the session: a client, or this server for its own work. */
type Holder = object;

interface Turn {
  readonly holder: Holder;
  readonly begin: () => void;
}

export class WireMultiplexer {
  readonly #db: PGlite;
  readonly #server: Server;
  readonly #waiting: Turn[] = [];
  readonly #sockets = new Set<Socket>();
  #holder: Holder | undefined;
  #lastId = 0;

  constructor(db: PGlite) {
    this.#db = db;
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      void this.#serve({ id: ++this.#lastId, socket });
    });
  }

  async listen(port: number, host: string): Promise<void> {
    this.#server.listen(port, host);
    await once(this.#server, 'listening');
  }

  /** Disconnects all clients and closes the database, after the statement that runs now. */
  async close(): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    // This turn is never passed on.
    await this.#takeTurn({});
    await this.#db.close();
  }

  /** Runs work while no client has the session, so never inside a transaction of a client. */
  async runExclusively<Result>(work: (db: PGlite) => Promise<Result>): Promise<Result> {
    await this.#takeTurn({});
    try {
      return await work(this.#db);
    } finally {
      this.#passTurn();
    }
  }

  async #serve(client: Client): Promise<void> {
    const { socket } = client;
    socket.on('timeout', () => socket.destroy());
    try {
      for await (const group of readGroups(socket)) {
        await this.#takeTurn(client);
        await this.#run(client, group);
        if (!group.isComplete || this.#db.isInTransaction()) socket.setTimeout(idleInTransactionMs);
        else this.#passTurn();
      }
    } catch (error) {
      // A broken connection is a normal end. Anything else is a broken database: the process must end, and recover at its next start.
      if (!socket.destroyed) throw error;
    } finally {
      socket.destroy();
      this.#sockets.delete(socket);
      await this.#takeTurn(client);
      await this.#release();
    }
  }

  async #run(client: Client, group: Group): Promise<void> {
    const { socket } = client;
    socket.setTimeout(0);
    socket.cork();
    const answer = (data: Uint8Array): void => {
      // A copy: the bytes lie in PGlite's memory and are overwritten by the next answer.
      if (socket.writable) socket.write(Buffer.from(data));
    };
    await this.#db.runExclusive(async () => {
      await this.#db.execProtocolRawStream(prefixStatements(group.bytes, client.id), { onRawData: answer });
    });
    socket.uncork();
  }

  async #takeTurn(holder: Holder): Promise<void> {
    if (this.#holder === holder) return;
    if (!this.#holder) {
      this.#holder = holder;
      return;
    }
    await new Promise<void>((begin) => {
      this.#waiting.push({ holder, begin });
    });
  }

  #passTurn(): void {
    const next = this.#waiting.shift();
    this.#holder = next?.holder;
    next?.begin();
  }

  /** A client left: its transaction is rolled back, and what it has set goes with it, since all others have the same session. */
  async #release(): Promise<void> {
    if (this.#db.isInTransaction()) await this.#db.exec('ROLLBACK');
    await this.#db.exec('RESET ALL');
    this.#passTurn();
  }
}

// Stands between a client and a server, so that the way between them can fail while both ends are well.
import { once } from 'node:events';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** How bytes travel from now on. */
type Way =
  | { readonly kind: 'open' }
  /** Each piece arrives late. */
  | { readonly kind: 'slow'; readonly delayMs: () => number }
  /** Packets are dropped, not refused: nothing arrives, and nobody is told. */
  | { readonly kind: 'silent' }
  | { readonly kind: 'refusing' }
  /** A connection breaks in the middle of what the store answers, after so many bytes. */
  | { readonly kind: 'cutting'; readonly afterBytes: () => number }
  /** What happens to connections on which a certain request is made. */
  | { readonly kind: 'striking'; readonly strike: Strike };

/** A fault at an exact point of a request. */
export interface Strike {
  /** What the request contains, in ASCII. */
  readonly text: string;
  /** `unsent`: the server does not get it. `unanswered`: the server has done it, and the client does not hear of it. */
  readonly stage: 'unsent' | 'unanswered';
  /** Cuts the connection there, or holds what would pass until the way heals. */
  readonly does: 'cut' | 'hold';
  /** Whether this one is struck. Default: each. */
  readonly hits?: () => boolean;
}

interface Piece {
  readonly to: Socket;
  readonly bytes: Buffer;
}

const open: Way = { kind: 'open' };

interface Pair {
  readonly client: Socket;
  readonly store: Socket;
  /** Nothing passes on this connection any more, also after the way has healed: its state is lost. */
  isSilent: boolean;
  bytesLeft: number;
  isStruck: boolean;
  held: Piece[];
  /** Settles when the last piece that is under way has arrived. Pieces do not overtake each other. */
  arrived: Promise<void>;
}

export class TcpProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  /** Connections that were made while packets were dropped. */
  readonly #unanswered = new Set<Socket>();
  #target: number;
  #way: Way = open;

  private constructor(target: number) {
    this.#target = target;
    // The client's connection is accepted by the kernel. While packets are dropped nothing answers on it.
    this.#server = createServer({ noDelay: true }, (client) => this.#serve(client));
  }

  /** @param target port on the loopback */
  static async start(target: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    const address = this.#server.address();
    if (typeof address !== 'object' || !address) throw new Error('The proxy does not listen');
    return address.port;
  }

  /** The same address with the port of this proxy. */
  inFrontOf(url: string): string {
    const through = new URL(url);
    through.port = String(this.port);
    return through.href.replace(/\/$/, '');
  }

  get connections(): number {
    return this.#pairs.size;
  }

  /** New connections go to another port of the loopback, and the old ones are cut. */
  retarget(port: number): void {
    this.#target = port;
    this.cut();
  }

  /** Delays each piece, in both directions. @param delayMs asked for each piece */
  slow(delayMs: () => number): void {
    this.#way = { kind: 'slow', delayMs };
  }

  /** Drops everything. The connections of now stay silent for good; later ones work once it heals. */
  drop(): void {
    this.#way = { kind: 'silent' };
    for (const pair of this.#pairs) pair.isSilent = true;
  }

  /** Refuses new connections and resets those of now, until it heals. */
  refuse(): void {
    this.#way = { kind: 'refusing' };
    this.cut();
  }

  /** Cuts each connection within an answer. @param afterBytes asked for each connection */
  cutAnswers(afterBytes: () => number): void {
    this.#way = { kind: 'cutting', afterBytes };
    for (const pair of this.#pairs) pair.bytesLeft = afterBytes();
  }

  /** Strikes connections at a certain request. */
  strikeAt(strike: Strike): void {
    this.#way = { kind: 'striking', strike };
  }

  /** How many connections are held where they were struck. */
  get heldConnections(): number {
    return [...this.#pairs].filter(({ isStruck }) => isStruck).length;
  }

  heal(): void {
    this.#way = open;
    for (const pair of this.#pairs) {
      for (const { to, bytes } of pair.held.splice(0)) to.write(bytes);
      pair.isStruck = false;
    }
    for (const socket of this.#unanswered) socket.resetAndDestroy();
    this.#unanswered.clear();
  }

  /** Resets all connections. */
  cut(): void {
    for (const { client, store } of this.#pairs) {
      client.resetAndDestroy();
      store.destroy();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.heal();
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(client: Socket): void {
    client.on('error', () => undefined);
    if (this.#way.kind === 'silent') {
      this.#unanswered.add(client);
      client.resume();
      client.once('close', () => this.#unanswered.delete(client));
      return;
    }
    if (this.#way.kind === 'refusing') return void client.resetAndDestroy();
    const store = createConnection({ port: this.#target, host: '127.0.0.1', noDelay: true });
    const bytesLeft = this.#way.kind === 'cutting' ? this.#way.afterBytes() : Infinity;
    const pair: Pair = { client, store, isSilent: false, bytesLeft, isStruck: false, held: [], arrived: Promise.resolve() };
    this.#pairs.add(pair);
    store.on('error', () => undefined);
    client.on('data', (bytes) => this.#pass(pair, { to: store, bytes }));
    store.on('data', (bytes) => this.#pass(pair, { to: client, bytes }));
    client.once('close', () => this.#close(pair));
    store.once('close', () => this.#close(pair));
  }

  #pass(pair: Pair, { to, bytes }: Piece): void {
    if (pair.isSilent) return;
    switch (this.#way.kind) {
      case 'slow':
        pair.arrived = later(pair.arrived, this.#way.delayMs()).then(() => void to.write(bytes));
        break;
      case 'cutting':
        this.#passUntilCut(pair, { to, bytes });
        break;
      case 'striking':
        this.#passUnlessStruck(pair, { to, bytes }, this.#way.strike);
        break;
      default:
        void pair.arrived.then(() => to.write(bytes));
    }
  }

  #passUntilCut(pair: Pair, { to, bytes }: Piece): void {
    if (to === pair.client) pair.bytesLeft -= bytes.length;
    if (pair.bytesLeft >= 0) to.write(bytes);
    else to.write(bytes.subarray(0, Math.max(0, bytes.length + pair.bytesLeft)), () => this.#close(pair));
  }

  #passUnlessStruck(pair: Pair, piece: Piece, { text, stage, does, hits = () => true }: Strike): void {
    const isRequest = piece.to === pair.store;
    if (isRequest && !pair.isStruck) pair.isStruck = piece.bytes.includes(text) && hits();
    const stops = pair.isStruck && isRequest === (stage === 'unsent');
    if (!stops) piece.to.write(piece.bytes);
    else if (does === 'cut') this.#close(pair);
    else pair.held.push(piece);
  }

  /** What closes on one side closes on the other, unless packets are dropped: then nobody hears of it. */
  #close(pair: Pair): void {
    if (pair.isSilent && !pair.client.destroyed) return;
    this.#pairs.delete(pair);
    pair.client.destroy();
    pair.store.destroy();
  }
}

async function later(before: Promise<void>, ms: number): Promise<void> {
  await Promise.all([before, sleep(ms)]);
}

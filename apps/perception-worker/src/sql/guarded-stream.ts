// The only way in which this worker connects to databases of others. It checks what a name resolves to at the moment of connecting, bounds
// what is read, and turns a protocol fault of the server, at which the client throws, into the end of this one connection.
import { connect, isIP, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { AnswerTooLarge, lookupPublicOnly, type AddressRules } from '#lib/platform';
import { maxAnswerBytes } from '../upstreams/guarded-fetch.js';
import type { DatabaseAddress } from './database-address.js';
import { UnreadableMessage, WholeMessages } from './whole-messages.js';

type Place = Pick<DatabaseAddress, 'host' | 'port' | 'sslmode'>;

/** SSLRequest: its length, and 1234 with 5679 (PostgreSQL, message formats). */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** The server has no TLS. */
export class NoTls extends Error {
  override readonly name = 'NoTls';
}

/** A connection as `pg` uses one, encrypted where the address says so. */
export class GuardedStream extends Duplex {
  readonly #place: Place;
  readonly #rules: AddressRules;
  #socket: Socket | null = null;
  #bytes = 0;

  constructor(place: Place, rules: AddressRules) {
    super();
    this.#place = place;
    this.#rules = rules;
  }

  /** `pg` says where to; what was checked counts. */
  connect(): this {
    dial(this.#place, this.#rules, (socket) => void (this.#socket = socket)).then(
      (socket) => this.#opened(socket),
      (error: unknown) => this.destroy(error instanceof Error ? error : new Error(String(error))),
    );
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  /** A listener that throws would end the process: the client reads messages of a stranger in one. */
  override emit(...event: Parameters<Duplex['emit']>): boolean {
    if (event[0] !== 'data') return super.emit(...event);
    try {
      return super.emit(...event);
    } catch (error) {
      this.destroy(new UnreadableMessage({ cause: error }));
      return true;
    }
  }

  override _read(): void {
    this.#socket?.resume();
  }

  override _write(chunk: Uint8Array, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket?.write(chunk, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket?.end(() => done());
    if (!this.#socket) done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket?.destroy();
    done(error);
  }

  #opened(socket: Socket): void {
    if (this.destroyed) return void socket.destroy();
    this.#socket = socket;
    const messages = new WholeMessages();
    socket.on('data', (chunk: Buffer) => {
      try {
        this.#bytes += chunk.length;
        if (this.#bytes > maxAnswerBytes) throw new AnswerTooLarge(maxAnswerBytes);
        const whole = messages.add(chunk);
        if (whole && !this.push(whole)) socket.pause();
      } catch (error) {
        this.destroy(error instanceof Error ? error : new UnreadableMessage({ cause: error }));
      }
    });
    socket.once('end', () => this.push(null));
    socket.once('close', () => this.destroy());
    socket.on('error', (error) => this.destroy(error));
    this.emit('connect');
  }
}

/** @param onSocket gets each socket as it is made, so that it can be given up */
async function dial({ host, port, sslmode }: Place, { allowPrivate }: AddressRules, onSocket: (socket: Socket) => void): Promise<Socket> {
  const plain = connect({ host, port, keepAlive: true, noDelay: true, ...(!allowPrivate && { lookup: lookupPublicOnly }) });
  onSocket(plain);
  await happens(plain, 'connect');
  if (sslmode === 'disable') return plain;
  plain.write(sslRequest);
  const answer = await happens(plain, 'data');
  plain.pause();
  // One byte alone: what came with it would not be encrypted.
  if (!(answer instanceof Buffer) || answer.length !== 1 || answer[0] !== 'S'.charCodeAt(0)) {
    plain.destroy();
    throw new NoTls('it has no TLS');
  }
  const encrypted = connectTls({
    socket: plain,
    host,
    ...(isIP(host) === 0 && { servername: host }),
    rejectUnauthorized: sslmode === 'verify-full',
  });
  onSocket(encrypted);
  await happens(encrypted, 'secureConnect');
  return encrypted;
}

/** What an event of a socket gives. @throws the error of the socket, or one that says that it was closed */
async function happens(socket: Socket, event: 'connect' | 'data' | 'secureConnect'): Promise<unknown> {
  // It stays: a socket whose error nobody hears ends the process.
  socket.on('error', () => undefined);
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  socket.once(event, resolve);
  socket.once('error', reject);
  socket.once('close', () => reject(Object.assign(new Error('the server closed the connection'), { code: 'ECONNRESET' })));
  return promise;
}

/** Asks the server to end what another connection runs, by its number and key. Whether it does is not known. */
export async function requestCancel(
  place: Place,
  rules: AddressRules,
  backend: { readonly id: number; readonly key: number },
): Promise<void> {
  const message = Buffer.alloc(16);
  message.writeInt32BE(16, 0);
  message.writeInt32BE(80_877_102, 4);
  message.writeInt32BE(backend.id, 8);
  message.writeInt32BE(backend.key, 12);
  const socket = await dial(place, rules, () => undefined);
  socket.on('error', () => undefined);
  socket.end(message);
}

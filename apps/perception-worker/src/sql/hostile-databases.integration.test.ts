// Servers that speak the protocol of PostgreSQL badly, or on purpose: each costs itself alone.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync } from 'node:fs';
import { join } from 'node:path';
import { createServer, type Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { startDebianPostgres } from '../../../../test/e2e/debian-postgres.js';
import type { DatabaseAddress } from './database-address.js';
import { withSession, type Session } from './session.js';

const rules = { allowedHosts: [], allowPrivate: true };
const message = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.write(type, 0);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};
const numbers = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => bytes.writeUInt32BE(value, index * 4));
  return bytes;
};
const accepted = Buffer.concat([message('R', numbers(0)), message('K', numbers(1, 2)), message('Z', Buffer.from('I'))]);
const scram = (text: string): Buffer => message('R', Buffer.concat([numbers(11), Buffer.from(text)]));

/** A server that answers the first message of a client with this, and each later one with that. */
async function hostile(first: Buffer, later: (socket: Socket, asked: Buffer) => void) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    let isGreeted = false;
    socket.on('data', (asked: Buffer) => {
      if (isGreeted) return later(socket, asked);
      isGreeted = true;
      socket.write(first);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const place = server.address();
  const port = typeof place === 'object' && place ? place.port : 0;
  const address: DatabaseAddress = { host: '127.0.0.1', port, user: 'u', password: 'secret-word', database: 'd', sslmode: 'disable' };
  return { address, [Symbol.asyncDispose]: async () => void server.close() };
}

const work = async (session: Session): Promise<unknown> => {
  await session.begin();
  await session.open('SELECT 1', []);
  return session.fetch(10);
};
const limits = () => ({ signal: AbortSignal.timeout(3_000), timeoutMs: 2_000, work });
const patient = <Result>(asked: (session: Session) => Promise<Result>) => ({
  signal: AbortSignal.timeout(30_000),
  timeoutMs: 30_000,
  work: asked,
});

test.each<[string, Buffer, (socket: Socket, asked: Buffer) => void]>([
  ['a description of more columns than it has', accepted, (socket) => socket.write(message('T', Buffer.from([255, 255])))],
  ['a row of more values than it has', accepted, (socket) => socket.write(message('D', Buffer.from([255, 255, 0, 0, 0, 9])))],
  ['a row that nobody asked for', Buffer.concat([accepted, message('D', Buffer.from([0, 0]))]), () => undefined],
  ['a message without end', accepted, (socket) => socket.write(Buffer.concat([Buffer.from('D'), numbers(0xff_ff_ff_ff)]))],
  [
    'a message shorter than its own length',
    accepted,
    (socket) => socket.write(Buffer.concat([Buffer.from('T'), numbers(0), Buffer.alloc(64)])),
  ],
  ['bytes of chance', accepted, (socket) => socket.write(randomBytes(65_536))],
  ['bytes of chance at once', randomBytes(4_096), () => undefined],
  ['an unknown way to log in', message('R', numbers(77)), () => undefined],
  [
    'a challenge that takes years',
    message('R', Buffer.concat([numbers(10), Buffer.from('SCRAM-SHA-256\0\0')])),
    (socket, asked) => {
      const nonce = /r=([^,]+)$/.exec(asked.toString())?.[1] ?? '';
      socket.write(scram(`r=${nonce}abc,s=c2FsdA==,i=2147483647`));
    },
  ],
  ['an error without an end', accepted, (socket) => socket.write(message('E', Buffer.from('Mno')))],
  ['silence', Buffer.alloc(0), () => undefined],
  ['a close', accepted, (socket) => socket.destroy()],
  [
    'a flood of notices',
    accepted,
    (socket) => {
      const notice = message('N', Buffer.concat([Buffer.from('M'), Buffer.alloc(60_000, 'x'), Buffer.from('\0\0')]));
      const flood = (): void => void (socket.writable && socket.write(notice, () => setImmediate(flood)));
      flood();
    },
  ],
])('%s is an error of this connection', async (_what, first, later) => {
  await using server = await hostile(first, later);
  const thrown: unknown = await withSession(server.address, rules, limits()).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(Error);
  expect(String(thrown)).not.toContain('secret-word');
});

test('a connection is encrypted, and whose certificate it is is checked where the address says so', async () => {
  await using postgres = await startDebianPostgres({
    checksPasswords: true,
    settings: (folder) => {
      const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
      const subject = ['-subj', '/CN=localhost', '-days', '1'];
      execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', certificate, ...subject], {
        stdio: 'ignore',
      });
      if (process.getuid?.() === 0)
        chownSync(key, Number(execFileSync('id', ['-u', 'nobody'])), Number(execFileSync('id', ['-g', 'nobody'])));
      return ['ssl=on', `ssl_key_file=${key}`, `ssl_cert_file=${certificate}`];
    },
  });
  const { port } = new URL(postgres.newDatabase('shop'));
  const at = { host: '127.0.0.1', port: Number(port), user: 'postgres', password: 'none', database: 'shop' };
  const encrypted = async (session: Session) => session.ask('SELECT ssl::text FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
  expect(await withSession({ ...at, sslmode: 'require' }, rules, patient(encrypted))).toEqual([['true']]);
  await expect(withSession({ ...at, sslmode: 'verify-full' }, rules, patient(encrypted))).rejects.toThrow(/certificate/);
}, 60_000);

test('what stands between and answers more than that it has TLS is not believed', async () => {
  await using server = await hostile(Buffer.concat([Buffer.from('S'), accepted]), () => undefined);
  await expect(withSession({ ...server.address, sslmode: 'require' }, rules, limits())).rejects.toThrow(/no TLS/);
});

// A Redis of its own whose users are those of docker-compose.yml.
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempDisposableSync, openSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { eventually } from '#lib/testing';
import { pickPort } from '../../scripts/provision/ports.js';
import { findRedis } from '../../scripts/provision/redis-binary.js';

/** Each by the name of its password: REDIS_<NAME>_PASSWORD. */
const users = {
  ADMIN: 'admin',
  REPLICA: 'replica',
  GATEWAY: 'gateway',
  PROFILE: 'profile-worker',
  KNOWLEDGE: 'knowledge-worker',
  AGENT: 'agent-worker',
  PERCEPTION: 'perception-worker',
  STRIPE: 'stripe-worker',
  MEMOTREE: 'memotree-worker',
} as const;
type User = keyof typeof users;

export interface RedisUsers {
  /** The lines of an ACL file, `user <name> <rights>`. */
  readonly lines: readonly string[];
  /** `name:password` of a user. */
  readonly credentialOf: (user: User) => string;
}

/** The users of `ops/redis-users.sh`, with new passwords. */
export function newUsers(): RedisUsers {
  const passwords = new Map(Object.keys(users).map((name) => [name, randomBytes(12).toString('hex')]));
  const env = { PATH: process.env['PATH'], ...Object.fromEntries([...passwords].map(([name, word]) => [`REDIS_${name}_PASSWORD`, word])) };
  const text = execFileSync('sh', ['ops/redis-users.sh'], { env, encoding: 'utf8' });
  return { lines: text.trim().split('\n'), credentialOf: (user) => `${users[user]}:${passwords.get(user)}` };
}

export interface RedisWithUsers extends AsyncDisposable {
  readonly urlOf: (user: User) => string;
  readonly portOnly: string;
  /** May do everything. */
  readonly admin: Redis;
}

export async function startRedisWithUsers(): Promise<RedisWithUsers> {
  await using started = new AsyncDisposableStack();
  const folder = started.use(mkdtempDisposableSync(join(tmpdir(), 'invoq-redis-users-')));
  const { lines, credentialOf } = newUsers();
  const aclFile = join(folder.path, 'users.acl');
  writeFileSync(aclFile, `${lines.join('\n')}\n`);
  const command = await findRedis();
  if (command.kind !== 'binary') throw new Error('this test needs a redis-server on this machine');
  const port = await pickPort();
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder.path, '--save', '', '--aclfile', aclFile];
  const log = openSync(join(folder.path, 'redis.log'), 'a');
  const server = spawn(command.path, settings, { stdio: ['ignore', log, log] });
  started.defer(async () => {
    server.kill();
    if (server.exitCode === null) await once(server, 'exit');
  });
  const urlOf = (user: User): string => `redis://${credentialOf(user)}@127.0.0.1:${port}`;
  const admin = started.adopt(new Redis(urlOf('ADMIN')), (client) => client.disconnect());
  admin.on('error', () => undefined);
  await eventually(() => admin.status === 'ready', { what: 'Redis with users' });
  const owned = started.move();
  return { urlOf, admin, portOnly: `redis://127.0.0.1:${port}`, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

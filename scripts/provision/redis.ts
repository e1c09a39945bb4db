// A private Redis with its own folder, port and append-only file. Jobs must survive a restart, so it never evicts and always appends.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, realpathSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { CommandError } from '#lib/command-line';
import type { ProcessSpec } from '../managed-process.js';
import { findProgram, findRedis } from './redis-binary.js';

export interface StorePlace {
  readonly dir: string;
  readonly port: number;
  readonly logFile: string;
  /** Further settings of a Redis on this machine. */
  readonly args?: readonly string[];
  /** Of a Redis on this machine. Default: what `findRedis` finds. */
  readonly program?: string;
  /** A Postgres that works for minutes without a pause: to optimise its code pays. Default: no. */
  readonly isBusy?: boolean;
}

const settings = [
  '--appendonly',
  'yes',
  '--appendfsync',
  'everysec',
  // A rewrite takes a tenth of the calls while it runs. By the default of 64 MB the next begins some seconds after the last, under load.
  '--auto-aof-rewrite-min-size',
  '256mb',
  '--save',
  '',
  '--maxmemory-policy',
  'noeviction',
  // The event log of a job has a few entries: a node of the default 4 KiB would be most of its memory.
  '--stream-node-max-bytes',
  '512',
  '--daemonize',
  'no',
];

export async function redisSpec({ dir, port, logFile, args: further = [], program: given }: StorePlace): Promise<ProcessSpec> {
  const command = given ? ({ kind: 'binary', path: given } as const) : await findRedis();
  mkdirSync(dir, { recursive: true });
  const cwd = realpathSync(dir);
  const common = { name: 'redis', cwd, port, logFile, isNode: false, stopMs: 15_000, isReady: () => answersPing(port) };
  if (command.kind === 'docker') {
    if (further.length > 0) throw new CommandError('this needs a redis-server or valkey-server on this machine, not in Docker');
    return { ...common, command: 'docker', args: [...dockerRun(cwd, port), 'redis-server', ...settings] };
  }
  const own = ['--bind', '127.0.0.1', '--protected-mode', 'yes', '--port', String(port), '--dir', cwd, '--pidfile', join(cwd, 'redis.pid')];
  const redis = [command.path, ...own, ...settings, ...further];
  // Where the system can, Redis is told to stop (and save) when its parent dies, even by kill -9.
  const setpriv = process.platform === 'linux' ? findProgram('setpriv') : undefined;
  const [program = command.path, ...args] = setpriv ? [setpriv, '--pdeathsig', 'TERM', ...redis] : redis;
  return { ...common, command: program, args };
}

function dockerRun(dir: string, port: number): readonly string[] {
  const container = `invoq-redis-${createHash('sha256').update(dir).digest('hex').slice(0, 12)}`;
  // A container that outlived its supervisor still writes to this folder.
  spawnSync('docker', ['stop', container], { stdio: 'ignore' });
  const user = process.getuid && process.getgid ? ['--user', `${process.getuid()}:${process.getgid()}`] : [];
  return ['run', '--rm', '--name', container, ...user, '-p', `127.0.0.1:${port}:6379`, '-v', `${dir}:/data`, 'redis:8'];
}

export function redisUrl(port: number): string {
  return `redis://127.0.0.1:${port}`;
}

/** PONG comes only once the append-only file is loaded. */
function answersPing(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1', timeout: 1_000 });
    const finish = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => socket.write('PING\r\n'));
    socket.once('data', (reply) => {
      finish(reply.toString().startsWith('+PONG'));
    });
    socket.once('error', () => {
      finish(false);
    });
    socket.once('timeout', () => {
      finish(false);
    });
  });
}

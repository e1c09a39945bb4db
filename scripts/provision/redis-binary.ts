// Finds the program of a Redis server, and installs one where the machine has none.
import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { CommandError, print } from '#lib/command-line';

export type RedisCommand = { readonly kind: 'binary'; readonly path: string } | { readonly kind: 'docker' };

interface Installer {
  readonly tool: string;
  readonly packageName: string;
  readonly commands: readonly (readonly string[])[];
}

const installers: readonly Installer[] = [
  {
    tool: 'apt-get',
    packageName: 'redis-server',
    commands: [
      ['apt-get', 'update', '-q'],
      ['apt-get', 'install', '-y', '-q', '--no-install-recommends', 'redis-server'],
    ],
  },
  { tool: 'dnf', packageName: 'valkey', commands: [['dnf', 'install', '-y', '-q', 'valkey']] },
  { tool: 'apk', packageName: 'valkey', commands: [['apk', 'add', '--quiet', 'valkey']] },
  { tool: 'pacman', packageName: 'valkey', commands: [['pacman', '-Sy', '--noconfirm', '--quiet', 'valkey']] },
  { tool: 'brew', packageName: 'redis', commands: [['brew', 'install', '--quiet', 'redis']] },
];

/**
 * The server that `REDIS_SERVER` names; else one on this machine; else an installed one; else Docker.
 * @throws CommandError when `REDIS_SERVER` is no server of version 6.2 or newer, or nothing was found
 */
export async function findRedis(): Promise<RedisCommand> {
  const { REDIS_SERVER: given } = process.env;
  if (given && !(isExecutable(given) && isRecent(given)))
    throw new CommandError(`REDIS_SERVER: ${given} is no redis-server or valkey-server of version 6.2 or newer that can be run here`);
  const there = given || findServer();
  if (there) return { kind: 'binary', path: there };
  const installed = await install();
  if (installed) return { kind: 'binary', path: installed };
  if (succeeds('docker', ['info'])) return { kind: 'docker' };
  throw new CommandError(
    'there is no Redis here and none could be installed. Do one of three things: install redis-server or valkey-server yourself (version 6.2 or newer); start Docker; or set REDIS_URL to a Redis you have, for example REDIS_URL=redis://127.0.0.1:6379.',
  );
}

/** The newest-enough Redis or Valkey server on the PATH or where package managers put it. */
function findServer(): string | undefined {
  return ['redis-server', 'valkey-server'].map(findProgram).find((path) => path !== undefined && isRecent(path));
}

export function findProgram(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/bin', '/opt/homebrew/bin'];
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

async function install(): Promise<string | undefined> {
  const installer = installers.find(({ tool }) => findProgram(tool));
  if (!installer) return undefined;
  const prefix = rootPrefix(installer.tool);
  if (!prefix) {
    print(`  ${installer.packageName} is missing and installing it needs root (no sudo without a password here)`);
    return undefined;
  }
  print(`  installing ${installer.packageName} with ${installer.tool}…`);
  // Every step is tried: a package list that cannot be refreshed may hold the package all the same.
  const failed: string[] = [];
  for (const command of installer.commands) {
    const { code, output } = await run([...prefix, ...command]);
    if (code !== 0) failed.push(`${command.join(' ')}:\n${output.trim().split('\n').slice(-5).join('\n')}`);
  }
  const found = findServer();
  if (found) stopSystemService(prefix);
  else print(`  ${installer.tool} did not install it. ${failed.join('\n')}`);
  return found;
}

/** The words before a command that make it run as root; undefined where that is impossible. Homebrew must not run as root. */
function rootPrefix(tool: string): readonly string[] | undefined {
  if (tool === 'brew' || process.getuid?.() === 0) return [];
  return succeeds('sudo', ['-n', 'true']) ? ['sudo', '-n'] : undefined;
}

/** Stops the server that the package may have started by itself. */
function stopSystemService(prefix: readonly string[]): void {
  for (const name of ['redis-server', 'redis', 'valkey']) {
    if (findProgram('systemctl')) succeeds('', [...prefix, 'systemctl', 'disable', '--now', name]);
    else if (findProgram('service')) succeeds('', [...prefix, 'service', name, 'stop']);
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The queue needs commands of Redis 6.2; every Valkey has them. */
function isRecent(path: string): boolean {
  const output = spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout ?? '';
  const [, major, minor] = /v=(\d+)\.(\d+)/.exec(output) ?? [];
  return Number(major) * 100 + Number(minor) >= 602;
}

function succeeds(program: string, args: readonly string[]): boolean {
  const [command = '', ...rest] = program ? [program, ...args] : args;
  return spawnSync(command, rest, { stdio: 'ignore', timeout: 15_000 }).status === 0;
}

function run([command = '', ...args]: readonly string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output = (output + chunk.toString()).slice(-4_000);
      });
    }
    child.once('error', (error) => {
      resolve({ code: 127, output: error.message });
    });
    child.once('close', (code) => {
      resolve({ code, output });
    });
  });
}

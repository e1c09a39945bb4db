// Installs packages of Debian for tests that need more than Node.
import { spawnSync } from 'node:child_process';
import { print } from '#lib/command-line';
import { findProgram } from './redis-binary.js';

/** Tries; whoever asks looks afterwards whether it is there. Does nothing where there is no apt-get. */
export function installDebian(...packages: readonly string[]): void {
  if (!findProgram('apt-get')) return;
  const prefix = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  print(`  installing ${packages.join(', ')} with apt-get…`);
  for (const command of [
    ['apt-get', 'update', '-q'],
    ['apt-get', 'install', '-y', '-q', '--no-install-recommends', ...packages],
  ]) {
    const [program = '', ...args] = [...prefix, ...command];
    spawnSync(program, args, { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, timeout: 300_000 });
  }
}

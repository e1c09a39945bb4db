// Installs packages of Debian for tests that need more than Node.
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { print } from '#lib/command-line';
import { findProgram } from './redis-binary.js';

/** Tries; whoever asks looks afterwards whether it is there. Does nothing where there is no apt-get. */
export function installDebian(...packages: readonly string[]): void {
  if (!findProgram('apt-get')) return;
  // Tests run at the same time, and apt-get gives up when another one is at work.
  const alone = findProgram('flock') ? ['flock', join(tmpdir(), 'invoq-apt-get.lock')] : [];
  const prefix = [...alone, ...(process.getuid?.() === 0 ? [] : ['sudo', '-n'])];
  print(`  installing ${packages.join(', ')} with apt-get…`);
  for (const command of [
    ['apt-get', 'update', '-q'],
    ['apt-get', 'install', '-y', '-q', '--no-install-recommends', ...packages],
  ]) {
    const [program = '', ...args] = [...prefix, ...command];
    spawnSync(program, args, { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, timeout: 300_000 });
  }
}

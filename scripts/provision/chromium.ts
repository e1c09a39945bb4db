// Finds a Chromium for tests that run a page in a browser, and installs Debian's where there is none.
import { spawnSync } from 'node:child_process';
import { CommandError, print } from '#lib/command-line';
import { findProgram } from './redis-binary.js';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Path of a browser. Throws a CommandError that says how to get one. */
export function findChromium(): string {
  const there = process.env['CHROMIUM_PATH'] || found();
  if (there) return there;
  const installed = install();
  if (installed) return installed;
  throw new CommandError(
    'there is no Chromium here and none could be installed. Install chromium or google-chrome, or name one: CHROMIUM_PATH=/path/to/chrome npm test',
  );
}

function found(): string | undefined {
  return names.map(findProgram).find((path) => path !== undefined);
}

function install(): string | undefined {
  if (!findProgram('apt-get')) return undefined;
  const prefix = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  print('  installing chromium with apt-get…');
  for (const command of [
    ['apt-get', 'update', '-q'],
    ['apt-get', 'install', '-y', '-q', '--no-install-recommends', 'chromium'],
  ]) {
    const [program = '', ...args] = [...prefix, ...command];
    spawnSync(program, args, { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, timeout: 300_000 });
  }
  return found();
}

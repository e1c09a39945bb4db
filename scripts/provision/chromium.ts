// Finds a Chromium for tests that run a page in a browser, and installs Debian's where there is none.
import { CommandError } from '#lib/command-line';
import { installDebian } from './debian.js';
import { findProgram } from './redis-binary.js';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Path of a browser. Throws a CommandError that says how to get one. */
export function findChromium(): string {
  const there = process.env['CHROMIUM_PATH'] || found();
  if (there) return there;
  installDebian('chromium');
  const installed = found();
  if (installed) return installed;
  throw new CommandError(
    'there is no Chromium here and none could be installed. Install chromium or google-chrome, or name one: CHROMIUM_PATH=/path/to/chrome npm test',
  );
}

function found(): string | undefined {
  return names.map(findProgram).find((path) => path !== undefined);
}

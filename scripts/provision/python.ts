// Finds a Python for the client in clients/python, and installs Debian's where there is none.
import { spawnSync } from 'node:child_process';
import { CommandError } from '#lib/command-line';
import { installDebian } from './debian.js';

/** What the build of the wheel needs, and the tests beside it; with the packages of Debian that have them. */
const forBuild = { pip: 'python3-pip', setuptools: 'python3-setuptools', wheel: 'python3-wheel' };
const forTests = { ...forBuild, httpx: 'python3-httpx', mypy: 'mypy', pytest: 'python3-pytest' };

/** Path of a Python 3.10 or newer with what its client's tests need, installed if need be. Throws a CommandError that says how to get one. */
export function findPython(): string {
  const there = found(forTests);
  if (there) return there;
  installDebian(...Object.values(forTests));
  const installed = found(forTests);
  if (installed) return installed;
  throw new CommandError(missing(forTests));
}

/** The one that builds the wheel. It installs nothing: whoever packs has not asked for that. Throws a CommandError. */
export function findBuildPython(): string {
  const there = found(forBuild);
  if (there) return there;
  throw new CommandError(missing(forBuild));
}

function missing(modules: Readonly<Record<string, string>>): string {
  return `there is no Python 3.10 with ${Object.keys(modules).join(', ')} here. Install them (Debian: apt-get install ${Object.values(modules).join(' ')}), or name one that has them: PYTHON=/path/to/python3`;
}

function found(modules: Readonly<Record<string, string>>): string | undefined {
  const names = Object.keys(modules);
  // Debian's own comes first: another one of the PATH has none of its packages.
  return [process.env['PYTHON'] ?? '', '/usr/bin/python3', 'python3'].find((python) => python !== '' && isEnough(python, names));
}

function isEnough(python: string, modules: readonly string[]): boolean {
  const program = `import sys, importlib.util as u; sys.exit(sys.version_info < (3, 10) or not all(u.find_spec(m) for m in ${JSON.stringify(modules)}))`;
  return spawnSync(python, ['-c', program], { stdio: 'ignore' }).status === 0;
}

// Finds a Python for the client in clients/python, and installs Debian's where there is none.
import { spawnSync } from 'node:child_process';
import { CommandError } from '#lib/command-line';
import { installDebian } from './debian.js';

/** What tests and the build need. */
const modules = ['httpx', 'mypy', 'pip', 'pytest', 'setuptools', 'wheel'];
const packages = ['python3-httpx', 'mypy', 'python3-pip', 'python3-pytest', 'python3-setuptools', 'python3-wheel'];

/** Path of a Python 3.10 or newer with what its client's tests need. Throws a CommandError that says how to get one. */
export function findPython(): string {
  const there = found();
  if (there) return there;
  installDebian(...packages);
  const installed = found();
  if (installed) return installed;
  throw new CommandError(
    `there is no Python 3.10 with ${modules.join(', ')} here and none could be installed. Install them, or name one that has them: PYTHON=/path/to/python3`,
  );
}

function found(): string | undefined {
  // Debian's own comes first: another one of the PATH has none of its packages.
  return [process.env['PYTHON'] ?? '', '/usr/bin/python3', 'python3'].find((python) => python !== '' && isEnough(python));
}

function isEnough(python: string): boolean {
  const program = `import sys, importlib.util as u; sys.exit(sys.version_info < (3, 10) or not all(u.find_spec(m) for m in ${JSON.stringify(modules)}))`;
  return spawnSync(python, ['-c', program], { stdio: 'ignore' }).status === 0;
}

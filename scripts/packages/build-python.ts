// The client for Python, as the wheel that pip installs.
import { execFile } from 'node:child_process';
import { cpSync, mkdtempDisposableSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '#lib/command-line';
import { findBuildPython } from '../provision/python.js';

export const python = { name: 'python', description: 'Client and worker of an Invoq gateway for Python.' } as const;

/** Gives the file of the wheel. Throws a CommandError where there is no Python for it. @param folder `dist/packages` */
export async function buildPython(folder: string): Promise<string> {
  // Its build writes beside the sources.
  using copy = mkdtempDisposableSync(join(tmpdir(), 'invoq-python-'));
  cpSync(join(root, 'clients/python'), copy.path, { recursive: true });
  const pip = ['-m', 'pip', 'wheel', copy.path, '--no-deps', '--no-index', '--no-build-isolation', '--wheel-dir', folder];
  await promisify(execFile)(findBuildPython(), pip);
  return join(folder, readdirSync(folder).find((file) => file.endsWith('.whl')) ?? '');
}

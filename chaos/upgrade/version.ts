// Another version of the product, built from its commit in a folder of its own.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError, root } from '#lib/command-line';

export interface Version {
  /** Of its commit, seven digits. */
  readonly name: string;
  /** Holds its `dist` and `node_modules`. */
  readonly root: string;
}

export const present: Version = { name: 'this tree', root };

const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];

/**
 * Builds it with its own scripts, and keeps it in `.data/versions` for the next run. It has the packages of this tree where its lock is the
 * same, and installs its own otherwise.
 * @param ref a commit, a branch or a tag
 * @throws CommandError when there is no such commit
 */
export function versionOf(ref: string): Version {
  const name = commitOf(ref);
  const folder = join(root, '.data/versions', name);
  if (!existsSync(folder)) {
    mkdirSync(join(root, '.data/versions'), { recursive: true });
    git('clone', '--quiet', '--shared', '--no-checkout', root, folder);
    git('-C', folder, 'checkout', '--quiet', '--detach', name);
  }
  const lockOf = (of: string): string => readFileSync(join(of, 'package-lock.json'), 'utf8');
  if (!existsSync(join(folder, 'node_modules')) && lockOf(folder) === lockOf(root))
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  // Its `build` alone would install and build the product, without what tries it.
  if (!existsSync(join(folder, 'node_modules')))
    execFileSync('npm', ['ci', ...quiet], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  execFileSync(process.execPath, ['scripts/run.mjs', 'build'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  return { name, root: folder };
}

function commitOf(ref: string): string {
  try {
    return git('rev-parse', '--verify', '--quiet', '--short=7', '--end-of-options', `${ref}^{commit}`);
  } catch {
    throw new CommandError(`--from: there is no commit ${ref}`);
  }
}

function git(...args: readonly string[]): string {
  return execFileSync('git', [...args], { cwd: root, encoding: 'utf8' }).trim();
}

/** Brings a database to the schema of that version. */
export function migrateTo({ root: cwd }: Version, databaseUrl: string): void {
  const env = { ...process.env, DATABASE_URL: databaseUrl };
  execFileSync(process.execPath, ['--import', '#source-maps', 'dist/scripts/migrate.js'], {
    cwd,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

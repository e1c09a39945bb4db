// Whether `npx invoq` can run what was built: looked at by times alone, which costs some milliseconds. To hash all sources and to compare
// the lock with what npm has installed cost 0.2 s of processor for each command.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** All that the command line is made of. Beside the sources of a library tests write files of their own. */
const sourcesIn = (root) => ['apps/cli/src', ...readdirSync(join(root, 'libs')).map((name) => `libs/${name}/src`)];
const built = 'dist/apps/cli/src/run-cli.js';
/** From when on the sources were read that the last build made, or found built. */
const stamp = 'dist/.stamp';

/** Whether all was built, after the last change of a source of the command line and of the packages. */
export function isCliReady(root) {
  try {
    for (const needed of [built, 'node_modules/.package-lock.json']) statSync(join(root, needed));
    const builtAt = statSync(join(root, stamp)).mtimeMs;
    const isOlder = (path) => statSync(path).mtimeMs < builtAt;
    // A folder changes when a file in it is added or deleted.
    const areOlder = (folder) =>
      isOlder(folder) &&
      readdirSync(folder, { withFileTypes: true }).every((entry) => {
        const path = join(folder, entry.name);
        if (entry.name === 'generated' || entry.name.endsWith('.test.ts')) return true;
        return entry.isDirectory() ? areOlder(path) : isOlder(path);
      });
    return isOlder(join(root, 'package-lock.json')) && sourcesIn(root).every((folder) => areOlder(join(root, folder)));
  } catch {
    return false;
  }
}

/** The Node of the packages, by what its manifest says. Undefined where it is not installed, or older than 24. */
export function packagedNode24(root) {
  try {
    const platform = process.platform === 'win32' ? 'win' : process.platform;
    const manifest = join(root, 'node_modules', `node-${platform}-${process.arch}`, 'package.json');
    const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
    if (Number.parseInt(version, 10) < 24) return undefined;
    return join(dirname(manifest), 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  } catch {
    return undefined;
  }
}

import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const neededMajor = 24;

/** The path of a Node that is new enough: the present one, else the one that is installed as a package. Throws when neither is. */
export function findNode24(root) {
  if (major(process.version) >= neededMajor) return process.execPath;
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${platform}-${process.arch}`;
  const packaged = packagedNode(root, name);
  if (packaged) {
    const version = spawnSync(packaged, ['--version'], { encoding: 'utf8' }).stdout ?? '';
    if (major(version) >= neededMajor) return packaged;
  }
  throw Object.assign(
    new Error(
      `Node ${neededMajor} is needed; this is Node ${process.version} and the package ${name} is not there or does not run. Install Node ${neededMajor} (for example: nvm install ${neededMajor}) and run the command again.`,
    ),
    { expected: true },
  );
}

/** Undefined where the package is not installed. */
function packagedNode(root, name) {
  try {
    const folder = dirname(createRequire(join(root, 'package.json')).resolve(`${name}/package.json`));
    return join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  } catch {
    return undefined;
  }
}

function major(version) {
  return Number(/^v(\d+)/.exec(version)?.[1] ?? 0);
}

// Every npm script and `npx invoq` runs through this file, on whatever Node the machine has (20 or newer): it installs the packages,
// generates the database client, builds, and then runs the script on Node 24. A step that has nothing to do prints nothing.
// It has no dependencies, because it runs before the packages are installed.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { compile, generateClient } from './bootstrap/compile.mjs';
import { installPackages } from './bootstrap/install.mjs';
import { withLock } from './bootstrap/lock.mjs';
import { findNode24 } from './bootstrap/node24.mjs';

const root = dirname(import.meta.dirname);
const [command = 'build', ...args] = process.argv.slice(2);
process.chdir(root);

try {
  const node = withLock(join(root, '.data', 'bootstrap.lock'), () => {
    installPackages(root);
    const found = findNode24(root);
    generateClient(root, found);
    compile(root, found);
    return found;
  });
  if (command !== 'build') run(node, scriptOf(command));
} catch (error) {
  console.error(error.expected ? `error: ${error.message}` : error);
  process.exitCode = 1;
}

function scriptOf(name) {
  const places = [`dist/scripts/${name}.js`, `dist/scripts/${name}/main.js`, `dist/${name}/main.js`];
  const script = places.find((place) => existsSync(join(root, place)));
  if (!script) throw Object.assign(new Error(`there is no command "${name}" (looked for ${places.join(', ')})`), { expected: true });
  return script;
}

function run(node, script) {
  // The IPC channel tells the child when this process is gone, however it ended.
  const child = spawn(node, ['--import', '#source-maps', script, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: {
      ...process.env,
      PATH: [dirname(node), process.env.PATH].join(delimiter),
      // Later processes start from code that V8 has compiled before.
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE || join(root, 'node_modules/.cache/node-compile'),
    },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    console.error(`error: ${node} does not start: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}

// What `nest start <app>` runs the app with (`exec` in nest-cli.json): the database client and the libraries are made where they are
// missing or old, and the app runs on Node 24 with tracing loaded first, on the stores and the sealing keys of `npm start` where the
// environment names no others. Arguments: for Node, with the file that Nest has built.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { compile, generateClient } from './compile.mjs';
import { hasPackages } from './install.mjs';
import { withLock } from './lock.mjs';
import { findNode24 } from './node24.mjs';

const root = dirname(dirname(import.meta.dirname));
const node = withLock(`${root}/.data/bootstrap.lock`, () => {
  const found = findNode24(root);
  generateClient(root, found);
  compile(root, found, { whole: hasPackages(root) });
  return found;
});
const data = resolve(root, process.env.INVOQ_DATA_DIR || '.data');
const child = spawn(node, ['--import', '#source-maps', '--import', '#telemetry', ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: {
    ...read(join(data, 'secrets.json'), JSON.parse),
    ...read(join(data, 'dev.env'), parseEnv),
    ...read('.env', parseEnv),
    ...process.env,
  },
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));

function read(file, parse) {
  const path = resolve(root, file);
  return existsSync(path) ? parse(readFileSync(path, 'utf8')) : {};
}

// `npm run packages [-- names]`: builds what is published.
import { mkdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { callerFolder, CommandError, print, printError, root, runScript, UsageError } from '#lib/command-line';
import { buildPackage } from './build-package.js';
import { buildProduct, product } from './build-product.js';
import { buildPython, python } from './build-python.js';
import { packages } from './packages.js';

const all = [
  ...packages.map((spec) => ({ ...spec, build: (folder: string) => buildPackage(spec, folder) })),
  { ...product, build: buildProduct },
  { ...python, build: buildPython },
];

const help = `Builds packages, each as a folder and as the archive that npm installs. Without a name it builds all.

  npm run packages -- [name…] [--out <folder>]    default: dist/packages

${all.map(({ name, description }) => `  ${name.padEnd(16)} ${description}`).join('\n')}
`;

await runScript(async () => {
  const { values, positionals: names } = parseArgs({ allowPositionals: true, options: { out: { type: 'string' } } });
  const unknown = names.find((name) => !all.some((one) => one.name === name));
  if (unknown !== undefined) throw new UsageError(`There is no package '${unknown}'`);
  const folder = values.out === undefined ? join(root, 'dist', 'packages') : resolve(callerFolder(), values.out);
  mkdirSync(folder, { recursive: true });
  for (const { name, build } of all) {
    if (names.length > 0 && !names.includes(name)) continue;
    try {
      print(relative(process.cwd(), await build(folder)));
    } catch (error) {
      // Whoever asked for all has most of them already, and what they need is seldom this one.
      if (names.includes(name) || !(error instanceof CommandError)) throw error;
      printError(`${name} was not built: ${error.message}`);
    }
  }
}, help);

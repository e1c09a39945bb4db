// `npm run packages [-- names]`: builds what is published.
import { mkdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { callerFolder, print, root, runScript, UsageError } from '#lib/command-line';
import { buildPackage } from './build-package.js';
import { packages } from './packages.js';

const help = `Builds packages, each as a folder and as the archive that npm installs. Without a name it builds all.

  npm run packages -- [name…] [--out <folder>]    default: dist/packages

${packages.map(({ name, description }) => `  ${name.padEnd(16)} ${description}`).join('\n')}
`;

await runScript(async () => {
  const { values, positionals: names } = parseArgs({ allowPositionals: true, options: { out: { type: 'string' } } });
  const unknown = names.find((name) => !packages.some((one) => one.name === name));
  if (unknown !== undefined) throw new UsageError(`There is no package '${unknown}'`);
  const folder = values.out === undefined ? join(root, 'dist', 'packages') : resolve(callerFolder(), values.out);
  mkdirSync(folder, { recursive: true });
  for (const spec of packages) {
    if (names.length > 0 && !names.includes(spec.name)) continue;
    print(relative(process.cwd(), await buildPackage(spec, folder)));
  }
}, help);

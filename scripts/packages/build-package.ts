// Makes the folder of a package, and the archive that npm installs.
import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { z } from 'zod';
import { CommandError, root } from '#lib/command-line';
import type { PackageSpec } from './packages.js';
import { rollTypes } from './roll-types.js';

const manifestShape = z.object({ version: z.string(), dependencies: z.record(z.string(), z.string()) });
const packed = z.tuple([z.object({ filename: z.string() })]);

/** Gives the file of the archive. @param folder `dist/packages` */
export async function buildPackage(spec: PackageSpec, folder: string): Promise<string> {
  const place = join(folder, spec.name.replace('@', '').replace('/', '-'));
  rmSync(place, { recursive: true, force: true });
  mkdirSync(join(place, 'dist'), { recursive: true });
  const bundled = await bundle(spec, place);
  writeFileSync(join(place, 'dist/index.d.ts'), rollTypes(spec.entry));
  writeFileSync(join(place, 'package.json'), `${JSON.stringify(manifestOf(spec), null, 2)}\n`);
  copyFileSync(join(root, dirname(dirname(spec.entry)), 'README.md'), join(place, 'README.md'));
  if (bundled.length > 0) writeFileSync(join(place, 'THIRD-PARTY-LICENSES.md'), licencesOf(bundled));
  const npm = ['pack', place, '--pack-destination', folder, '--json', '--ignore-scripts'];
  const { stdout } = await promisify(execFile)('npm', npm, { cwd: folder, shell: process.platform === 'win32' });
  return join(folder, packed.parse(JSON.parse(stdout))[0].filename);
}

/** Writes `dist/index.js` with its map. Gives the names of the packages of others that are in it. */
async function bundle({ entry, platform, dependencies }: PackageSpec, place: string): Promise<readonly string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { index: entry },
    outdir: join(place, 'dist'),
    bundle: true,
    format: 'esm',
    platform: platform === 'node' ? 'node' : 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['invoq-source'],
    target: 'es2022',
    external: [...dependencies],
    sourcemap: true,
    metafile: true,
    legalComments: 'none',
    logLevel: 'warning',
  });
  const names = Object.keys(metafile.inputs).flatMap((file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []);
  return [...new Set(names)].sort();
}

function manifestOf({ name, description, dependencies }: PackageSpec): object {
  const product = manifestShape.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
  const versionOf = (dependency: string): string => {
    const version = product.dependencies[dependency];
    if (version === undefined) throw new CommandError(`${name} depends on ${dependency}, which package.json does not name`);
    return version;
  };
  return {
    name,
    version: product.version,
    description,
    // Nobody has chosen one: npm's word for "all rights reserved".
    license: 'UNLICENSED',
    type: 'module',
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' }, './package.json': './package.json' },
    types: './dist/index.d.ts',
    sideEffects: false,
    engines: { node: '>=20' },
    files: ['dist', 'THIRD-PARTY-LICENSES.md'],
    ...(dependencies.length > 0 && { dependencies: Object.fromEntries(dependencies.map((one) => [one, versionOf(one)])) }),
  };
}

/** What the licences of others ask of those who pass their code on. */
function licencesOf(names: readonly string[]): string {
  const texts = names.map((name) => {
    const [file] = globSync(`node_modules/${name}/{LICENSE,LICENCE,license}*`, { cwd: root });
    if (file === undefined || !existsSync(join(root, file))) throw new CommandError(`${name} has no file of its licence`);
    return `## ${name}\n\n${readFileSync(join(root, file), 'utf8').trim()}\n`;
  });
  return `# Code of others in this package\n\n${texts.join('\n')}`;
}

// A library of ours as a package: one module with its map, and one file of types.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { root } from '#lib/command-line';
import { newPlace, pack, packagesOf, versionsOf } from './pack.js';
import type { PackageSpec } from './packages.js';
import { rollTypes } from './roll-types.js';

/** Gives the file of the archive. @param folder `dist/packages` */
export async function buildPackage(spec: PackageSpec, folder: string): Promise<string> {
  const { entry, dependencies } = spec;
  const place = newPlace(spec, folder);
  const bundled = await writeLibrary(spec, join(place, 'dist'));
  const manifest = {
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' }, './package.json': './package.json' },
    types: './dist/index.d.ts',
    sideEffects: false,
    files: ['dist', 'THIRD-PARTY-LICENSES.md'],
    ...(dependencies.length > 0 && { dependencies: versionsOf(dependencies) }),
  };
  return pack(spec, { place, readme: join(dirname(dirname(entry)), 'README.md'), manifest, bundled });
}

/** Writes `index.js` with its map, and `index.d.ts`. Gives the names of the packages of others that are in them. */
export async function writeLibrary({ entry, platform, dependencies }: PackageSpec, folder: string): Promise<readonly string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { index: entry },
    outdir: folder,
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
  writeFileSync(join(folder, 'index.d.ts'), rollTypes(entry));
  return packagesOf(Object.keys(metafile.inputs));
}

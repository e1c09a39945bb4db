// Bundles the product for its package. Argument: the folder of the package. Prints, as JSON, the packages of others that are in its code
// (`bundled`), those that it imports or reads (`imported`), and of these those that the archive has (`brought`).
import { cpSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import { bundling, root } from '../../bootstrap/bundling.mjs';
import { fromSources } from '../../bootstrap/from-sources.mjs';
import { isLeftOut } from '../../bootstrap/trim.mjs';

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

const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** They are read as files, or read files beside them, by ways that a bundler does not see. */
const withFiles = [
  /^@expo-google-fonts\//,
  /^@fontsource/,
  /^@myriaddreamin\/typst/,
  /^fontverter$/,
  /^subset-font$/,
  /^quickjs-wasi$/,
].flatMap(namesLike);

/** Of these most is for others: the archive brings them without that, a fifth of them. */
const trimmed =
  /^@expo-google-fonts\/|^@fontsource|^@myriaddreamin\/typst|^@electric-sql\/|^@prisma\/(client|adapter-pg)$|^@bull-board\/ui$|^unpdf$/;
/** Not with those that need them: types, and what is in the product's code. */
const unneeded = /^@types\/|^@bull-board\/api$/;

/** The pages of the board, which it finds by their path. */
const askedFor = ['@bull-board/ui'];
/** Bundled as well, unlike in a clone: an installation has the part of them that is used, and not all that they need. */
const small = /^@opentelemetry\/|^@bull-board\/|^@fastify\/(static|view)$/;
const external = [...bundling.external.filter((name) => !small.test(name)), ...askedFor, ...withFiles];

const metafiles = [];
for (const entries of [apps, commands]) {
  const { metafile } = await build({
    ...fromSources,
    entryPoints: globSync(entries, { cwd: root }),
    outdir: join(place, 'dist'),
    external,
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
const needed = unique([...imported, ...withFiles, ...askedFor]);
// npm installs nothing for what an archive brings: what that needs is brought, too.
const brought = needed.filter((name) => trimmed.test(name));
for (const name of brought) brought.push(...dependenciesOf(name).filter((other) => !brought.includes(other)));
for (const name of brought) {
  const from = join(root, 'node_modules', name);
  const isKept = (file) => statSync(file).isDirectory() || !isLeftOut(name, relative(from, file).replaceAll('\\', '/'));
  const to = join(place, 'node_modules', name);
  cpSync(from, to, { recursive: true, filter: isKept });
  const manifest = manifestOf(name);
  const dependencies = Object.fromEntries(Object.entries(manifest.dependencies ?? {}).filter(([other]) => !unneeded.test(other)));
  // Of the files that it names, npm would pack no compressed one.
  writeFileSync(join(to, 'package.json'), JSON.stringify({ ...manifest, files: undefined, dependencies }, null, 2));
}
process.stdout.write(JSON.stringify({ bundled: unique(bundled), imported: needed, brought }));

function dependenciesOf(name) {
  return Object.keys(manifestOf(name).dependencies ?? {}).filter((other) => !unneeded.test(other));
}

function manifestOf(name) {
  return JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'));
}

function namesLike(pattern) {
  const names = Object.keys(dependencies).filter((name) => pattern.test(name));
  if (names.length === 0) throw new Error(`package.json names no dependency like ${pattern}`);
  return names;
}

function nameIn(path) {
  return /^(?:node:)?((?:@[^/]+\/)?[^/]+)/.exec(path)[1];
}

function unique(names) {
  return [...new Set(names)].toSorted((a, b) => (a < b ? -1 : 1));
}

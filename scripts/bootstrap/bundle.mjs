// Bundles the entries of all processes in place. Run by compile.mjs, on Node 24.
//
// What starts the apps is bundled apart from them. Code that is shared is loaded with all that any of those who share it need of it: the
// apps' part would bring the queue and the clients of models into each start.
import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { bundling, root } from './bundling.mjs';
import { loadedAtOnce } from './loaded-at-once.mjs';

const apps = [
  'dist/apps/*/src/main.js',
  // Processes for texts are replaced when a text has made them end, so they must start quickly too.
  'dist/apps/{memotree,knowledge}-worker/src/**/*-process.js',
  'dist/libs/platform/src/telemetry/register.js',
  // Only where what tries the product was built.
  'dist/test/lab/*-main.js',
  'dist/security/world/*-main.js',
];
const start = ['dist/scripts/{start,stop,check-settings}.js', 'dist/scripts/provision/pglite-server.js'];

const loaded = {};
for (const entries of [apps, start]) {
  const { metafile } = await build({ ...bundling, entryPoints: globSync(entries, { cwd: root }), outbase: 'dist', metafile: true });
  Object.assign(loaded, loadedAtOnce(metafile.outputs));
}
writeFileSync(join(root, 'dist/loaded-at-once.json'), JSON.stringify(loaded, null, 2));

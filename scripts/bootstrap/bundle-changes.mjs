// Bundles apps from their sources again and again, for `npm run dev`: what has not changed stays in memory. A process of its own.
// Arguments: the apps. Each message asks for a bundle; the answer is `{ ok, apps }` with the apps whose code has changed since the last one.
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { context } from 'esbuild';
import { root } from './bundling.mjs';
import { fromSources } from './from-sources.mjs';

const apps = process.argv.slice(2);
const bundles = await context({
  ...fromSources,
  entryPoints: [
    ...apps.flatMap((app) => globSync([`apps/${app}/src/main.ts`, `apps/${app}/src/**/*-process.ts`], { cwd: root })),
    // Shares what it collects with the apps.
    'libs/platform/src/telemetry/register.ts',
  ],
});

let last = new Map();

process.on('message', () => void rebuild());
process.on('disconnect', () => process.exit());

async function rebuild() {
  try {
    await bundles.rebuild();
    const now = new Map(apps.map((app) => [app, hashOf(app)]));
    const changed = apps.filter((app) => now.get(app) !== last.get(app));
    last = now;
    process.send({ ok: true, apps: changed });
  } catch {
    // esbuild has printed what is wrong, with file and line.
    process.send({ ok: false, apps: [] });
  }
}

/** The code of an app is in its entry, and in chunks, whose names are the hashes of what is in them. */
function hashOf(app) {
  const files = globSync([`dist/apps/${app}/src/main.js`, `dist/apps/${app}/src/**/*-process.js`], { cwd: root }).sort();
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

// Bundles the entries of all processes in place. Run by compile.mjs, on Node 24.
import { globSync } from 'node:fs';
import { build } from 'esbuild';
import { bundling, root } from './bundling.mjs';

await build({
  ...bundling,
  entryPoints: globSync(
    [
      'dist/apps/*/src/main.js',
      // Processes for texts are replaced when a text has made them end, so they must start quickly too.
      'dist/apps/{memotree,knowledge}-worker/src/**/*-process.js',
      'dist/libs/platform/src/telemetry/register.js',
      'dist/test/lab/*-main.js',
      'dist/security/world/*-main.js',
    ],
    { cwd: root },
  ),
  outbase: 'dist',
});

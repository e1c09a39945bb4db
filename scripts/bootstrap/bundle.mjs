// Bundles each app with its packages, in place: finding, reading and linking some two thousand modules was two fifths of a start.
// What apps share lies in dist/chunks, once. Run by compile.mjs, on Node 24.
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { build } from 'esbuild';

const root = dirname(dirname(import.meta.dirname));

/** They look for files beside them, or must be there before all else (reflect-metadata). */
const asTheyAre = ['@bull-board/*', '@huggingface/transformers', '@prisma/client', 'pino', 'reflect-metadata'];
/** Loaded when they are first wanted, and seldom are. */
const large = ['@aws-sdk/*', '@opentelemetry/exporter-trace-otlp-http', 'flydrive', 'unpdf'];
/** What a framework would use were it there. */
const notInstalled = [
  '@fastify/multipart',
  '@fastify/static',
  '@fastify/view',
  '@nats-io/*',
  '@nestjs/platform-express',
  '@nestjs/websockets',
  '@valkey/valkey-glide',
  'amqp-connection-manager',
  'class-transformer',
  'class-validator',
  'kafkajs',
  'mqtt',
];

/** External imports of a module come before all else; these must come after tracing, which changes what they load. */
const traced = {
  name: 'traced',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(pg|@prisma\/adapter-pg)$/ }, ({ path, namespace }) =>
      namespace === 'required' ? { path, external: true } : { path, namespace: 'required' },
    );
    onLoad({ filter: /.*/, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)});`,
      resolveDir: root,
    }));
  },
};

/** A frame in a package is told by its file alone: whole maps of theirs would be read at the first error, which takes long. */
const fileNamesOnly = {
  name: 'file-names-only',
  setup({ onLoad }) {
    onLoad({ filter: /node_modules.*\.[cm]?js$/ }, ({ path }) => {
      const map = Buffer.from(JSON.stringify({ version: 3, sources: [basename(path)], mappings: 'AAAA' })).toString('base64');
      const code = readFileSync(path, 'utf8').replaceAll(/^\/\/# sourceMappingURL=.*$/gm, '');
      return { contents: `${code}\n//# sourceMappingURL=data:application/json;base64,${map}`, loader: 'js' };
    });
  },
};

await build({
  entryPoints: globSync(['dist/apps/*/src/main.js', 'dist/libs/platform/src/telemetry/register.js', 'dist/test/lab/*-main.js'], {
    cwd: root,
  }),
  absWorkingDir: root,
  outdir: 'dist',
  outbase: 'dist',
  allowOverwrite: true,
  bundle: true,
  splitting: true,
  chunkNames: 'chunks/[hash]',
  format: 'esm',
  platform: 'node',
  target: 'node24',
  external: [...asTheyAre, ...large, ...notInstalled],
  legalComments: 'none',
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
  plugins: [traced, fileNamesOnly],
  // For packages that are not ES modules.
  banner: { js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);" },
});

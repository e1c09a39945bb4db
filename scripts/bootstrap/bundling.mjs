// How apps are bundled with their packages: to find, read and link some two thousand modules took two fifths of a start. Code that apps
// share is in dist/chunks.
import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';

export const root = dirname(dirname(import.meta.dirname));

/** Not bundled: they look for files beside them, or must be loaded before everything else (reflect-metadata). */
const unbundled = ['@bull-board/*', '@electric-sql/*', '@prisma/client', 'pino', 'reflect-metadata'];
/** Not bundled: large, and loaded only by the few calls that need them. */
const onDemand = [
  '@aws-sdk/*',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/otlp-exporter-base',
  '@opentelemetry/otlp-transformer',
  '@opentelemetry/sdk-metrics',
  'unpdf',
];
/** Optional peers of frameworks, which are not installed. */
const optionalPeers = [
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

/** An external import is loaded before the rest of its module. These must be loaded after tracing, which patches them. */
const loadAfterTracing = {
  name: 'load-after-tracing',
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

/** Maps a stack frame in a package to its file alone: the first error would otherwise read the whole maps of all packages. */
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

/** Options of esbuild, without the entry points. */
export const bundling = {
  absWorkingDir: root,
  outdir: 'dist',
  allowOverwrite: true,
  bundle: true,
  splitting: true,
  chunkNames: 'chunks/[hash]',
  format: 'esm',
  platform: 'node',
  target: 'node24',
  external: [...unbundled, ...onDemand, ...optionalPeers],
  legalComments: 'none',
  // A quarter less to read, and 25 MB less memory in a process. Names stay, so stack traces can be read.
  minifyWhitespace: true,
  minifySyntax: true,
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
  plugins: [loadAfterTracing, fileNamesOnly],
  // For packages that are not ES modules.
  banner: { js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);" },
};

// Watches what the processes of a start load before anybody has used it: each package in the way costs every start, and every test that
// starts an app. Not timed: dist/loaded-at-once.json is what the bundler says.
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { z } from 'zod';

const read = () => z.record(z.string(), z.array(z.string())).parse(JSON.parse(readFileSync('dist/loaded-at-once.json', 'utf8')));

/** Large, and of use to few processes or few calls. */
const clients = ['@ai-sdk/anthropic', '@ai-sdk/openai', '@ai-sdk/openai-compatible', '@modelcontextprotocol/client', 'stripe', 'undici'];
const server = ['@nestjs/core', '@nestjs/microservices', 'bullmq', 'fastify', 'pino', 'prom-client', 'rxjs'];
const rare = ['@aws-sdk/client-s3', '@opentelemetry/exporter-trace-otlp-http', '@opentelemetry/sdk-metrics', 'chokidar', 'unpdf'];
/** Prisma's client, which a process has once a model is used. */
const models = ['@prisma/adapter-pg', '@prisma/client'];

test.each([
  { entry: 'dist/scripts/start.js', needs: ['zod'], not: [...clients, ...server, ...models] },
  { entry: 'dist/scripts/check-settings.js', needs: ['zod'], not: [...clients, ...server, ...rare, ...models] },
  { entry: 'dist/scripts/provision/pglite-server.js', needs: ['@electric-sql/pglite'], not: [...clients, ...server, ...rare, 'zod'] },
  { entry: 'dist/scripts/stop.js', needs: [], not: [...clients, ...server, ...rare] },
  { entry: 'dist/apps/cli/src/main.js', needs: [], not: [...clients, ...server, ...rare, ...models, 'zod'] },
  { entry: 'dist/apps/cli/src/call/call.js', needs: ['eventsource-parser'], not: [...clients, ...server, ...rare, ...models, 'zod'] },
  { entry: 'dist/apps/gateway/src/main.js', needs: ['@nestjs/core', 'bullmq', 'fastify', 'zod'], not: [...clients, ...rare, ...models] },
  { entry: 'dist/apps/profile-worker/src/main.js', needs: ['@nestjs/core', 'bullmq', 'zod'], not: [...clients, ...rare, ...models] },
])('$entry loads only what it needs at its start', ({ entry, needs, not }) => {
  const loaded = read()[entry];
  expect(loaded).toEqual(expect.arrayContaining(needs));
  expect(loaded?.filter((name) => not.includes(name))).toEqual([]);
});

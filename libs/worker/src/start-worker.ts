import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { nestLogger, releaseMemoryOfStart, shutDownOnSignal } from '#lib/platform';
import { Heartbeat } from './heartbeat.js';
import { Infrastructure } from './infrastructure.js';
import { ToolServer } from './tool-server.js';
import type { WorkerDefinition } from './worker-definition.js';
import { WorkerModule } from './worker.module.js';

/** Time for what follows the drain: services, spans, connections. */
const closingMs = 5_000;

/** The Nest application of a worker, not yet started: an HTTP port for health and metrics, and the queue as its microservice. */
export async function createWorker<Services extends object>(definition: WorkerDefinition<Services>): Promise<NestFastifyApplication> {
  const app = await NestFactory.create<NestFastifyApplication>(WorkerModule.register(definition), new FastifyAdapter(), {
    bufferLogs: true,
    abortOnError: false,
  });
  app.useLogger(nestLogger(app.get(Infrastructure).log));
  app.connectMicroservice({ strategy: app.get(ToolServer) });
  return app;
}

/** Starts a worker process: its health and metrics port, its queue, its orderly end at SIGTERM. */
export async function startWorker<Services extends object>(definition: WorkerDefinition<Services>): Promise<void> {
  const app = await createWorker(definition);
  const { log } = app.get(Infrastructure);
  const deadlineMs = definition.settings.DRAIN_MS + closingMs;
  await run(app, definition, () => shutDownOnSignal({ log, deadlineMs, steps: [['worker', () => app.close()]] }));
  releaseMemoryOfStart();
}

/** A worker that takes calls in a process which has more to do, and ends when it is closed. */
export async function runWorker<Services extends object>(definition: WorkerDefinition<Services>): Promise<NestFastifyApplication> {
  const app = await createWorker(definition);
  await run(app, definition, () => undefined);
  return app;
}

/** @param onListening called before it waits for Redis: its health is answered by then */
async function run(
  app: NestFastifyApplication,
  { settings, domain }: Pick<WorkerDefinition<object>, 'settings' | 'domain'>,
  onListening: () => void,
): Promise<void> {
  const { log, allowed, partitions } = app.get(Infrastructure);
  await app.listen(settings.HEALTH_PORT, settings.HOST);
  onListening();
  await allowed;
  await partitions.start();
  // Who is told that the worker is ready finds it among the workers.
  await app.get(Heartbeat).start();
  await app.startAllMicroservices();
  log.info({ event: 'ready', address: await app.getUrl(), domain, node: process.version }, 'worker ready');
}

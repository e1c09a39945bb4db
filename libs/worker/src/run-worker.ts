import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Redis } from 'ioredis';
import { Catalog, domains, type DomainName, type ToolContract } from '#lib/contracts';
import {
  createLogger,
  exitOnEviction,
  type HealthCheck,
  type Logger,
  nestLogger,
  onceASecond,
  shutDownOnSignal,
  spanSink,
  type WorkerSettings,
} from '#lib/platform';
import {
  EventLog,
  InvocationStore,
  RedisKeys,
  OutsideTools,
  watchEvictionPolicy,
  requestConnection,
  Sealer,
  subscriberConnection,
  ToolQueues,
  TraceStore,
  workerConnection,
  metric,
} from '#lib/transport';
import type { Handler } from './handle.js';
import { HealthController, workerProbe, type WorkerProbe } from './health.controller.js';
import { JobProcessor } from './process-job.js';
import { Reaper } from './reaper.js';
import { Registry } from './registry.js';
import { ToolServer } from './tool-server.js';

interface Opened<Services> {
  /** What handlers get besides their context. */
  readonly services: Services;
  /** Dependencies of this worker besides the queue. */
  readonly checks: Readonly<Record<string, HealthCheck>>;
  readonly close: () => Promise<void>;
  /** For the worker that runs the tools of outside servers: where they are stored, and what runs them. */
  readonly outside?: {
    readonly load: () => Promise<readonly unknown[]>;
    readonly handlerOf: (contract: ToolContract) => Handler<Services>;
  };
}

/** What a worker shares with the gateway, for services that do more than answer calls. */
export interface WorkerInfrastructure {
  readonly redis: Redis;
  readonly keys: RedisKeys;
  readonly sealer: Sealer;
}

interface WorkerDefinition<Services> {
  readonly domain: DomainName;
  readonly settings: WorkerSettings;
  readonly contracts: readonly ToolContract[];
  readonly handlers: readonly Handler<Services>[];
  readonly open: (log: Logger, transport: WorkerInfrastructure) => Opened<Services>;
}

/** Starts a worker process: its queue, its health and metrics port, its orderly end. */
export async function runWorker<Services extends object>(definition: WorkerDefinition<Services>): Promise<void> {
  const domain = domains[definition.domain];
  const { settings } = definition;
  const log = createLogger(`${domain.name}-worker`, settings.LOG_LEVEL);
  const registry = new Registry(definition.domain, definition.contracts, definition.handlers);

  const keys = new RedisKeys(settings.INVOQ_NAMESPACE);
  const connection = workerConnection(settings.REDIS_URL);
  const subscriber = subscriberConnection(settings.REDIS_URL);
  const probing = requestConnection(settings.REDIS_URL);
  for (const client of [connection, subscriber, probing])
    client.on(
      'error',
      onceASecond((error: Error) => log.warn({ event: 'redis-fault', err: error }, 'Redis connection')),
    );

  watchEvictionPolicy(probing, (policy) => exitOnEviction(log, policy));

  const sealer = new Sealer(settings.SEALING_KEYS);
  const opened = definition.open(log, { redis: connection, keys, sealer });
  const outside = opened.outside && outsideTools(opened.outside.load, { keys, subscriber, log });
  if (outside && opened.outside) registry.serveOutside({ ...outside, handlerOf: opened.outside.handlerOf });

  const store = new InvocationStore({ redis: connection, keys, sealer, retriesRefusedWrites: true });
  const queues = new ToolQueues(connection, keys);
  const processor = new JobProcessor({
    store,
    events: new EventLog(connection, keys),
    sealer,
    registry,
    services: opened.services,
    log,
    domain: domain.name,
  });
  metric.openInvocationsLimit.set({ domain: domain.name }, domain.maxOpen);
  const reaper = new Reaper({
    domain: domain.name,
    store,
    queues,
    log,
    find: (tool, version) => registry.find(tool, version)?.contract,
    expire: (id) => processor.expire(id),
    abandon: (id) => processor.abandon(id),
  });
  const server = new ToolServer({
    domain,
    concurrency: settings.WORKER_CONCURRENCY ?? domain.concurrency,
    drainMs: settings.DRAIN_MS,
    keys,
    connection,
    subscriber,
    processor,
    log,
  });
  const traces = new TraceStore(probing, keys);
  // Traces are a help, not a duty: while Redis is away they are dropped.
  spanSink.attach((spans) => traces.append(spans));

  let started = false;
  let stopping = false;
  const probe: WorkerProbe = {
    domain: domain.name,
    checks: { redis: () => probing.ping(), ...opened.checks },
    // Waiting for a Redis that is not there yet is being alive; having stopped is not.
    isAlive: () => !started || server.isRunning,
    isStopping: () => stopping || !started,
  };

  @Module({ controllers: [HealthController], providers: [{ provide: workerProbe, useValue: probe }] })
  class WorkerModule {}

  const app = await NestFactory.create<NestFastifyApplication>(WorkerModule, new FastifyAdapter(), { logger: nestLogger(log) });
  app.connectMicroservice({ strategy: server });
  await app.listen(settings.HEALTH_PORT, settings.HOST);
  shutDownOnSignal({
    log,
    deadlineMs: settings.DRAIN_MS + 5_000,
    steps: [
      ['readiness', () => void (stopping = true)],
      ['reaper', () => reaper.stop()],
      ['outside tools', () => outside?.tools.stop()],
      ['queue', () => server.close()],
      ['http', () => app.close()],
      ['services', () => opened.close()],
      ['traces', () => spanSink.flush()],
      ['redis', () => [connection, subscriber, probing].forEach((client) => client.disconnect())],
    ],
  });

  await outside?.tools.start();
  await app.startAllMicroservices();
  started = true;
  reaper.start();
  log.info({ event: 'ready', address: await app.getUrl(), domain: domain.name, node: process.version }, 'worker ready');
}

function outsideTools(
  load: () => Promise<readonly unknown[]>,
  {
    keys,
    subscriber,
    log,
  }: { readonly keys: RedisKeys; readonly subscriber: ReturnType<typeof subscriberConnection>; readonly log: Logger },
): { readonly tools: OutsideTools; readonly catalog: Catalog } {
  const catalog = new Catalog([]);
  const onFault = (error: unknown) => log.warn({ event: 'outside-tools-fault', err: error }, 'the outside tools could not be read');
  return { catalog, tools: new OutsideTools({ keys, subscriber, load, catalog, onFault }) };
}

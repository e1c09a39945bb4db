import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { domains, type Domain, type DomainName } from '#lib/contracts';
import { ExpiringFiles, openDisk } from '#lib/files';
import {
  createLogger,
  exitOnEviction,
  exitOnMissingRights,
  redisServers,
  succeedingProcess,
  type Logger,
  type WorkerSettings,
} from '#lib/platform';
import {
  ActivityStore,
  ActivityWriter,
  ErrorStore,
  ErrorWriter,
  EventLog,
  InvocationStore,
  logRedisFaults,
  partitionOf,
  Partitions,
  RedisKeys,
  requestConnection,
  CallIndex,
  CallListWriter,
  Sealer,
  SharedClock,
  CallReports,
  Metrics,
  subscriberConnection,
  ToolQueues,
  TraceStore,
  watchEvictionPolicy,
  watchRights,
  WorkerPresence,
  workerConnection,
  type RedisClient,
  type RedisNeeds,
} from '#lib/transport';
import { TurnSteps } from './job-steps.js';

export interface LoggedDefinition {
  readonly domain: DomainName;
  readonly settings: WorkerSettings;
  /** Default: one on standard output. */
  readonly log?: Logger;
}

/** A worker's log, connections and stores. They outlive everything that works with them. */
@Injectable()
export class Infrastructure implements OnApplicationShutdown {
  readonly domain: Domain;
  /** Attempts at the same time. */
  readonly concurrency: number;
  readonly log: Logger;
  readonly keys: RedisKeys;
  readonly clock = new SharedClock();
  readonly metrics = new Metrics();
  readonly reports: CallReports;
  /** A key under each prefix that it uses. */
  readonly needed: RedisNeeds['keys'];
  readonly sealer: Sealer;
  /** Waits for Redis as long as it takes: jobs and their records. */
  readonly redis: RedisClient;
  readonly subscriber: Redis;
  /** Fails at once while Redis is away: readiness and traces. */
  readonly probe: RedisClient;
  /** What of calls is too large for Redis. */
  readonly files: ExpiringFiles;
  readonly store: InvocationStore;
  readonly steps: TurnSteps;
  readonly events: EventLog;
  readonly partitions: Partitions;
  readonly queues: ToolQueues;
  readonly traces: TraceStore;
  readonly callListWriter: CallListWriter;
  readonly activityWriter: ActivityWriter;
  readonly errorWriter: ErrorWriter;
  readonly presence: WorkerPresence;
  /** Resolves when Redis lets this process do what it must. */
  readonly allowed: Promise<void>;

  constructor({ domain, settings, log = createLogger(`${domain}-worker`, settings.LOG_LEVEL) }: LoggedDefinition) {
    this.domain = domains[domain];
    this.concurrency = settings.WORKER_CONCURRENCY ?? this.domain.concurrency;
    this.log = log;
    this.keys = new RedisKeys(settings.INVOQ_NAMESPACE);
    this.sealer = new Sealer(settings.SEALING_KEYS);
    this.files = new ExpiringFiles(() => openDisk(settings));
    this.redis = workerConnection(settings);
    this.subscriber = subscriberConnection(settings);
    this.probe = requestConnection(settings);
    logRedisFaults([this.redis, this.subscriber, this.probe], log);
    this.clock.follow(this.probe, { log, metrics: this.metrics });
    this.reports = new CallReports(log, this.clock.now, this.metrics);
    const { redis, keys, sealer } = this;
    watchEvictionPolicy(this.probe, (policy, server) => exitOnEviction(log, { policy, server }));
    this.needed = [
      keys.rightsProbe(partitionOf(domain)),
      keys.rightsProbe(partitionOf(domain, 1)),
      keys.partitionCounts(),
      keys.traces('', 0),
      keys.callFeed(),
    ];
    this.allowed = watchRights(
      this.probe,
      {
        keys: this.needed,
        channels: [keys.notices(domain), keys.stops(domain), keys.handed(domain), keys.callFeed()],
        also: ['bzpopmin KEY 1'],
      },
      exitOnMissingRights(log, redisServers(settings).username),
    );
    this.store = new InvocationStore({
      redis,
      keys,
      sealer,
      files: this.files,
      retriesRefusedWrites: true,
      now: this.clock.now,
      succeeds: succeedingProcess(),
    });
    this.steps = new TurnSteps(this.store);
    this.events = new EventLog(redis, keys);
    const onFault = (error: unknown) => log.warn({ event: 'partitions-fault', err: error }, 'the numbers of partitions could not be read');
    this.partitions = new Partitions({ redis: this.probe, keys, count: null, now: this.clock.now, onFault });
    this.queues = new ToolQueues(redis, keys, [domain]);
    this.traces = new TraceStore(this.probe, keys, settings.SEALING_KEYS);
    this.callListWriter = new CallListWriter(new CallIndex(this.probe, keys), this.reports, log);
    this.activityWriter = new ActivityWriter(new ActivityStore(this.probe, keys), this.reports, { now: this.clock.now, log });
    this.errorWriter = new ErrorWriter(new ErrorStore(this.probe, keys), this.reports, log);
    this.presence = new WorkerPresence(this.probe, keys);
  }

  onApplicationShutdown(): void {
    this.partitions.stop();
    this.clock.stop();
    for (const client of [this.redis, this.subscriber, this.probe]) client.disconnect();
  }
}

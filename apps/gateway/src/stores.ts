import { Injectable } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { Catalog, domains, withRetryBase, type ToolContract } from '#lib/contracts';
import { openAccounts, providerRules } from '#lib/accounts';
import { ExpiringFiles, openDisk } from '#lib/files';
import {
  createDatabase,
  exitOnEviction,
  exitOnMissingRights,
  redisServers,
  succeedingProcess,
  type Database,
  type Logger,
} from '#lib/platform';
import {
  ActivityStore,
  ActivityWindow,
  ActivityWriter,
  ErrorStore,
  ErrorWriter,
  EventLog,
  FlowLines,
  Followers,
  HookKeys,
  InvocationStore,
  logRedisFaults,
  Metrics,
  OutsideTools,
  type Partition,
  partitionOf,
  Partitions,
  ReadAnswers,
  RedisKeys,
  type RedisNeeds,
  requestConnection,
  CallIndex,
  CallListWriter,
  CallReports,
  Sealer,
  SharedClock,
  subscriberConnection,
  ToolQueues,
  TraceStore,
  watchEvictionPolicy,
  watchRights,
  WorkerPresence,
  type RedisClient,
  storedServers,
} from '#lib/transport';
import type { GatewaySettings } from './config.js';
import { ServedDirectory } from './serving/served-directory.js';
import { AnnouncementBudget } from './serving/announcement-budget.js';
import { Announcements } from './serving/announcements.js';
import { ContractChecks } from './serving/contract-checks.js';
import { ServedTools } from './serving/served-tools.js';
import { RecentAnswers } from './calls/recent-answers.js';

/** What the stores are opened with. */
export interface StoresDefinition {
  readonly settings: GatewaySettings;
  readonly contracts: readonly ToolContract[];
  readonly log: Logger;
}

/** The settings, connections and stores of a gateway process. They outlive everything that works with them. */
@Injectable()
export class Stores {
  readonly settings: GatewaySettings;
  readonly log: Logger;
  readonly catalog: Catalog;
  readonly keys: RedisKeys;
  readonly clock = new SharedClock();
  readonly metrics = new Metrics();
  readonly reports: CallReports;
  /** What it must be able to use in Redis. */
  readonly needs: RedisNeeds;
  readonly sealer: Sealer;
  /** Fails at once while Redis is away. */
  readonly redis: RedisClient;
  readonly subscriber: Redis;
  readonly database: Database;
  readonly files: ExpiringFiles;
  /** Files of tools that are half there. */
  readonly pieces: ExpiringFiles;
  readonly store: InvocationStore;
  readonly partitions: Partitions;
  readonly queues: ToolQueues;
  readonly followers: Followers;
  readonly traces: TraceStore;
  readonly outside: OutsideTools;
  readonly contractChecks = new ContractChecks(process.cwd());
  readonly servedTools: ServedTools;
  readonly announcements: Announcements;
  readonly servedDirectory: ServedDirectory;
  readonly recentAnswers: RecentAnswers;
  readonly callLists: CallIndex;
  readonly callListWriter: CallListWriter;
  readonly activity: ActivityStore;
  readonly activityWindow: ActivityWindow;
  readonly activityWriter: ActivityWriter;
  readonly errors: ErrorStore;
  readonly errorWriter: ErrorWriter;
  readonly presence: WorkerPresence;
  readonly flowLines: FlowLines;
  /** Where the hooks of calls are called, and what signs their addresses. */
  readonly hooks: { readonly url: string; readonly keys: HookKeys };
  /** The accounts of users at providers. */
  readonly accounts: ReturnType<typeof openAccounts>;
  readonly #allowed: Promise<void>;

  constructor({ settings, contracts, log }: StoresDefinition) {
    this.settings = settings;
    this.log = log;
    const { RETRY_BASE_MS: retryBaseMs } = settings;
    this.catalog = new Catalog(
      contracts.map((contract) => withRetryBase(contract, retryBaseMs)),
      settings.DOMAINS,
      (setting) => setting === 'CODE_MODE' && settings.CODE_MODE === 'on',
    );
    this.keys = new RedisKeys(settings.INVOQ_NAMESPACE);
    this.needs = needsOf(this.keys);
    this.sealer = new Sealer(settings.SEALING_KEYS);
    this.hooks = { url: settings.PUBLIC_URL ?? `http://127.0.0.1:${settings.PORT}`, keys: new HookKeys(settings.SEALING_KEYS) };
    this.redis = requestConnection(settings);
    this.subscriber = subscriberConnection(settings);
    logRedisFaults([this.redis, this.subscriber], log);
    this.clock.follow(this.redis, { log, metrics: this.metrics });
    this.reports = new CallReports(log, this.clock.now, this.metrics);
    watchEvictionPolicy(this.redis, (policy, server) => exitOnEviction(log, { policy, server }));
    this.#allowed = watchRights(this.redis, this.needs, exitOnMissingRights(log, redisServers(settings).username));
    this.database = createDatabase({
      url: settings.DATABASE_URL,
      poolSize: settings.DATABASE_POOL,
      name: 'gateway',
      statementTimeoutMs: 2_000,
    });
    const { redis, subscriber, keys, sealer, catalog, database } = this;
    const { now } = this.clock;
    this.accounts = openAccounts({ database, sealer, rules: providerRules(settings), issuer: settings.JWT_ISSUER, log });
    this.files = new ExpiringFiles(() => openDisk(settings));
    this.pieces = new ExpiringFiles(() => openDisk(settings), 'pieces');
    this.store = new InvocationStore({
      redis,
      keys,
      sealer,
      files: this.files,
      maxTenantBytes: settings.TENANT_BYTES,
      now,
      succeeds: succeedingProcess(),
    });
    this.recentAnswers = new RecentAnswers(new ReadAnswers(redis, keys));
    this.partitions = new Partitions({
      redis,
      keys,
      count: settings.PARTITIONS,
      now,
      onFault: (error) => log.warn({ event: 'partitions-fault', err: error }, 'the numbers of partitions could not be read'),
    });
    this.queues = new ToolQueues(redis, keys);
    this.followers = new Followers(subscriber, { store: this.store, log: new EventLog(redis, keys), changes: this.reports.changes });
    this.traces = new TraceStore(redis, keys, settings.SEALING_KEYS);
    this.callLists = new CallIndex(redis, keys);
    this.callListWriter = new CallListWriter(this.callLists, this.reports, log);
    this.activity = new ActivityStore(redis, keys);
    this.activityWindow = new ActivityWindow(redis, keys);
    this.activityWriter = new ActivityWriter(this.activity, this.reports, { now, log });
    this.errors = new ErrorStore(redis, keys);
    this.errorWriter = new ErrorWriter(this.errors, this.reports, log);
    this.presence = new WorkerPresence(redis, keys);
    this.flowLines = new FlowLines(redis, keys);
    this.outside = new OutsideTools({
      keys,
      subscriber,
      load: () => storedServers(database),
      catalog,
      retryBaseMs,
      onFault: (error) => log.warn({ event: 'outside-tools-fault', err: error }, 'the outside tools could not be read'),
    });
    const bounds = { maxBytes: settings.SERVED_BYTES_PER_TENANT, maxDomains: settings.SERVED_DOMAINS_PER_TENANT };
    this.servedTools = new ServedTools(database, bounds, now);
    this.announcements = new Announcements({
      database,
      catalog,
      checks: this.contractChecks,
      budget: new AnnouncementBudget(),
      bounds,
      now,
      isDevelopment: settings.NODE_ENV === 'development',
    });
    this.servedDirectory = new ServedDirectory({
      redis,
      subscriber,
      keys,
      catalog,
      now,
      followers: this.followers,
      tools: this.servedTools,
      retryBaseMs,
      onFault: (error) => log.warn({ event: 'served-tools-fault', err: error }, 'the tools that tenants serve could not be read'),
    });
  }

  /**
   * The queues that may hold calls: of tenants' workers, and of the product's domains, also those that this gateway does not serve, because another
   * one may have accepted their calls.
   */
  get queueNames(): readonly string[] {
    return [...Object.keys(domains), ...this.servedDirectory.queues];
  }

  /** Their partitions. */
  get allPartitions(): readonly Partition[] {
    return this.queueNames.flatMap((queue) => this.partitions.all(queue));
  }

  /** Follows the calls of all domains and reads the outside tools. Waits for Redis as long as it takes. */
  async start(): Promise<void> {
    await this.#allowed;
    await this.partitions.start();
    const names = Object.keys(domains);
    await this.followers.start(this.keys, names);
    await this.recentAnswers.follow(
      this.subscriber,
      names.map((name) => this.keys.cacheChanges(name)),
    );
    await this.outside.start();
    const { queues, servedDirectory, log } = this;
    servedDirectory.onQueues(
      () =>
        void queues
          .keepOwn(servedDirectory.queues)
          .catch((error: unknown) => log.warn({ event: 'queue-fault', err: error }, 'a queue could not be closed')),
    );
    await servedDirectory.start();
    this.callListWriter.start();
    this.activityWriter.start();
    this.errorWriter.start();
  }
}

/** A gateway starts, follows and shows calls of every domain. */
function needsOf(keys: RedisKeys): RedisNeeds {
  const names = Object.keys(domains);
  return {
    keys: [
      keys.ticket(''),
      keys.consoleSession(''),
      keys.mcpCall([]),
      keys.traces('', 0),
      keys.callFeed(),
      keys.callsOfSecond('', ''),
      keys.budgetsHeld(''),
      keys.flowSlot(),
      keys.partitionCounts(),
      ...names.flatMap((name) => [keys.rightsProbe(partitionOf(name)), keys.rightsProbe(partitionOf(name, 1))]),
    ],
    channels: [
      keys.changesOf('outside'),
      keys.changesOf('served'),
      keys.changesOf('policy'),
      keys.changesOf('toolset'),
      keys.changesOf('budget'),
      keys.changesOf('pause'),
      keys.changesOf('flow'),
      keys.changesOf('webhook'),
      keys.callFeed(),
      keys.mcpAnswer([]),
      ...names.flatMap((name) => [keys.notices(name), keys.stops(name), keys.handed(name), keys.cacheChanges(name)]),
    ],
  };
}

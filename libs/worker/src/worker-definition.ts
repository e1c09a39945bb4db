import type { AccountsDatabase } from '#lib/accounts';
import type { DomainName, ToolContract } from '#lib/contracts';
import type { HealthCheck, Logger, WorkerSettings } from '#lib/platform';
import type {
  AskedStore,
  CallReports,
  InvocationStore,
  Metrics,
  Partitions,
  RedisKeys,
  Sealer,
  SharedClock,
  RedisClient,
} from '#lib/transport';
import type { Handler } from '#lib/handlers';

/** One worker app: its domain, its tools, and how it opens what the tools need. */
export interface WorkerDefinition<Services> {
  readonly domain: DomainName;
  readonly settings: WorkerSettings;
  /** Default: one on standard output. */
  readonly log?: Logger;
  /** How the gateway is reached from outside, without a slash at its end. Tools have no hooks where it is absent. */
  readonly publicUrl?: string;
  /** Of every domain; the worker takes those of its own. */
  readonly contracts: readonly ToolContract[];
  readonly handlers: readonly Handler<Services>[];
  /** Called once, before the first job. Opens the services; they are closed when the last attempt has ended. */
  readonly open: (log: Logger, infrastructure: WorkerInfrastructure) => OpenedServices<Services>;
}

/** What a worker shares with the gateway, for services that do more than answer calls. */
export interface WorkerInfrastructure {
  readonly redis: RedisClient;
  readonly keys: RedisKeys;
  readonly partitions: Pick<Partitions, 'all'>;
  readonly sealer: Sealer;
  readonly clock: SharedClock;
  readonly metrics: Metrics;
  readonly reports: CallReports;
  readonly store: Pick<InvocationStore, 'readPlace'>;
}

/** What Nest has them by: they are of no class. */
export const openedServices = Symbol('opened-services');

export interface OpenedServices<Services> {
  /** What handlers get besides their context. */
  readonly services: Services;
  /** Where questions of tools to their callers are stored (`context.ask`). Tools cannot ask where it is absent. */
  readonly questions?: AskedStore['database'];
  /** Where the accounts of callers are (`context.token`), beside the questions. Tools have none where it is absent. */
  readonly accounts?: AccountsDatabase;
  /** Dependencies of this worker besides Redis; readiness asks each of them. */
  readonly checks: Readonly<Record<string, HealthCheck>>;
  readonly close: () => Promise<void>;
  /** For the worker that runs the tools of outside servers: where they are stored, and what runs them. */
  readonly outside?: {
    readonly load: () => Promise<readonly unknown[]>;
    readonly handlerOf: (contract: ToolContract) => Handler<Services>;
  };
}

import { Module, type DynamicModule } from '@nestjs/common';
import { openAccounts, providerRules, type AccountsDatabase } from '#lib/accounts';
import { Catalog, withRetryBase } from '#lib/contracts';
import { succeedingProcess, type WorkerSettings } from '#lib/platform';
import { HookKeys, OutsideTools, type AskedStore } from '#lib/transport';
import { CallAccounts } from './call-accounts.js';
import { Heartbeat } from './heartbeat.js';
import { HealthController } from './health.controller.js';
import { Infrastructure } from './infrastructure.js';
import { InfrastructureModule } from './infrastructure.module.js';
import { JobProcessor } from './process-job.js';
import { Questions } from './questions.js';
import { Reaper } from './reaper.js';
import { Registry, type OutsideHandlers } from './registry.js';
import { ToolServer } from './tool-server.js';
import { openedServices, type OpenedServices, type WorkerDefinition } from './worker-definition.js';
import { WorkerHealth } from './worker-health.js';
import { WorkerLifecycle } from './worker-lifecycle.js';

/** A worker app: `NestFactory.create(WorkerModule.register({ … }))`. `ToolServer` is its transport strategy; see `startWorker`. */
@Module({})
export class WorkerModule {
  /** Throws when contracts and handlers do not match, before any connection is made. */
  static register<Services extends object>(definition: WorkerDefinition<Services>): DynamicModule {
    const { settings } = definition;
    const retryBaseMs = settings.RETRY_BASE_MS;
    const contracts = definition.contracts.map((contract) => withRetryBase(contract, retryBaseMs));
    const registry = new Registry(definition.domain, contracts, definition.handlers);
    type Opened = OpenedServices<Services>;
    return {
      module: WorkerModule,
      imports: [InfrastructureModule.register(definition)],
      controllers: [HealthController],
      providers: [
        Heartbeat,
        WorkerHealth,
        WorkerLifecycle,
        // What the worker is defined by opens them.
        {
          provide: openedServices,
          inject: [Infrastructure],
          useFactory: (infrastructure: Infrastructure) => definition.open(infrastructure.log, infrastructure),
        },
        // Made above: what does not match is told before any connection is made.
        {
          provide: Registry,
          inject: [Infrastructure, openedServices],
          useFactory: (infrastructure: Infrastructure, { outside }: Opened) => {
            if (outside) registry.serveOutside(outsideHandlers(outside, infrastructure, retryBaseMs));
            return registry;
          },
        },
        // A gateway makes them too, for the domains of tenants: their parts have names, and no place in Nest.
        {
          provide: JobProcessor,
          inject: [Infrastructure, Registry, openedServices],
          useFactory: (
            { domain, store, steps, events, sealer, clock, reports, log }: Infrastructure,
            served: Registry<Services>,
            { services, questions: database, accounts }: Opened,
          ) =>
            new JobProcessor({
              store,
              steps,
              events,
              sealer,
              reports,
              log,
              registry: served,
              services,
              domain: domain.name,
              now: clock.now,
              showCauses: settings.NODE_ENV === 'development',
              ask: database ? new Questions({ database, namespace: settings.INVOQ_NAMESPACE, sealer, now: clock.now }).ask : null,
              accounts: database && accounts ? callAccounts({ settings, sealer, clock, log }, { database, accounts }) : null,
              hooks: definition.publicUrl === undefined ? null : { url: definition.publicUrl, keys: new HookKeys(settings.SEALING_KEYS) },
            }),
        },
        // It asks the registry and the processor for one thing each.
        {
          provide: Reaper,
          inject: [Infrastructure, Registry, JobProcessor],
          useFactory: (
            { domain, store, partitions, files, queues, clock, log }: Infrastructure,
            served: Registry<Services>,
            processor: JobProcessor<Services>,
          ) =>
            new Reaper({
              partitions: () => partitions.all(domain.name),
              store,
              files,
              queues,
              now: clock.now,
              log,
              find: (called) => served.find(called)?.contract,
              ends: processor.ends,
            }),
        },
        // The strategy of the microservice, which is there before Nest starts it.
        {
          provide: ToolServer,
          inject: [Infrastructure, JobProcessor, Registry, Reaper],
          useFactory: (
            { domain, concurrency, keys, partitions, redis, subscriber, store, steps, log }: Infrastructure,
            processor: JobProcessor<Services>,
            served: Registry<Services>,
            reaper: Reaper,
          ) =>
            new ToolServer({
              domain,
              partitions,
              concurrency,
              drainMs: settings.DRAIN_MS,
              keys,
              connection: redis,
              subscriber,
              store,
              steps,
              processor,
              registry: served,
              reaper,
              succeeds: succeedingProcess(),
              log,
            }),
        },
      ],
    };
  }
}

function callAccounts(
  { settings, sealer, clock, log }: Pick<Infrastructure, 'sealer' | 'clock' | 'log'> & { readonly settings: WorkerSettings },
  { database, accounts: own }: { readonly database: AskedStore['database']; readonly accounts: AccountsDatabase },
): CallAccounts {
  const { accounts } = openAccounts({ database: own, sealer, rules: providerRules(settings), log });
  return new CallAccounts({ accounts, database, namespace: settings.INVOQ_NAMESPACE, sealer, now: clock.now });
}

function outsideHandlers<Services>(
  { load, handlerOf }: NonNullable<OpenedServices<Services>['outside']>,
  { keys, subscriber, log }: Infrastructure,
  retryBaseMs: number,
): OutsideHandlers<Services> {
  const catalog = new Catalog([]);
  const onFault = (error: unknown) => log.warn({ event: 'outside-tools-fault', err: error }, 'the outside tools could not be read');
  return { catalog, tools: new OutsideTools({ keys, subscriber, load, catalog, retryBaseMs, onFault }), handlerOf };
}

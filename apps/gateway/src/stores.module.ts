import { resolve } from 'node:path';
import { Module, type DynamicModule, type FactoryProvider, type InjectionToken } from '@nestjs/common';
import { Accounts, ConnectionStore, OAuthRequests, ProviderStore } from '#lib/accounts';
import { Catalog } from '#lib/contracts';
import { FileLinks, Files, KeptFiles, openDisk } from '#lib/files';
import { SkillLibrary } from '#lib/skills';
import {
  BudgetCounts,
  CallCounts,
  HistoryStream,
  Metrics,
  OutboxEntries,
  QuotaTracker,
  SharedClock,
  TakeUpRate,
  TraceStore,
} from '#lib/transport';
import type { GatewayDefinition } from './gateway-definition.js';
import { ServedDirectory } from './serving/served-directory.js';
import { ServedTools } from './serving/served-tools.js';
import { Stores } from './stores.js';

/** Classes of the libraries, which know nothing of Nest, and what the stores have made already: Nest has to be told how to come by them. */
const made: readonly { readonly provide: InjectionToken; readonly of: (stores: Stores) => unknown }[] = [
  { provide: Catalog, of: ({ catalog }) => catalog },
  { provide: TraceStore, of: ({ traces }) => traces },
  { provide: Files, of: ({ settings, database }) => new Files(database, () => openDisk(settings)) },
  { provide: FileLinks, of: ({ settings }) => new FileLinks(settings.SEALING_KEYS) },
  { provide: CallCounts, of: ({ redis, keys }) => new CallCounts(redis, keys) },
  { provide: TakeUpRate, of: ({ redis, keys }) => new TakeUpRate(redis, keys) },
  { provide: QuotaTracker, of: ({ redis, keys, settings }) => new QuotaTracker({ redis, keys, timeZone: settings.QUOTA_TZ }) },
  { provide: BudgetCounts, of: ({ redis, keys }) => new BudgetCounts(redis, keys) },
  { provide: ProviderStore, of: ({ accounts }) => accounts.providers },
  { provide: ConnectionStore, of: ({ accounts }) => accounts.connections },
  { provide: OAuthRequests, of: ({ accounts }) => accounts.requests },
  { provide: Accounts, of: ({ accounts }) => accounts.accounts },
  { provide: SkillLibrary, of: ({ settings }) => new SkillLibrary({ folders: [resolve(settings.SKILLS_DIR)] }) },
  { provide: ServedTools, of: ({ servedTools }) => servedTools },
  { provide: ServedDirectory, of: ({ servedDirectory }) => servedDirectory },
  { provide: HistoryStream, of: ({ redis, keys }) => new HistoryStream(redis, keys) },
  { provide: OutboxEntries, of: ({ redis, keys }) => new OutboxEntries(redis, keys) },
  { provide: SharedClock, of: ({ clock }) => clock },
  { provide: Metrics, of: ({ metrics }) => metrics },
];
const library = made.map(({ provide, of }) => ({ provide, inject: [Stores], useFactory: of }));

/** Settings, connections and stores, for every module of the gateway. */
@Module({})
export class StoresModule {
  static register(definition: GatewayDefinition): DynamicModule {
    const providers: readonly FactoryProvider[] = [
      // Made of what a gateway is given, which nothing provides.
      { provide: Stores, useFactory: () => new Stores(definition) },
      ...library,
      // Another class of a library, made of two others.
      {
        provide: KeptFiles,
        inject: [Stores, Files, FileLinks],
        useFactory: ({ settings, hooks }: Stores, files: Files, links: FileLinks) => {
          const [linkMs, keepMs] = [settings.FILES_LINK_MINUTES * 60_000, settings.FILES_KEEP_HOURS * 3_600_000];
          return new KeptFiles({ files, links, publicUrl: hooks.url, linkMs, keepMs });
        },
      },
    ];
    return { module: StoresModule, global: true, providers: [...providers], exports: providers.map(({ provide }) => provide) };
  }
}

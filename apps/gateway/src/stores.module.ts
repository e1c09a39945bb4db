import { Module, type DynamicModule } from '@nestjs/common';
import { Catalog } from '#lib/contracts';
import { FileLinks, Files, KeptFiles, openDisk } from '#lib/files';
import { TraceStore } from '#lib/transport';
import type { GatewayDefinition } from './gateway-definition.js';
import { Stores } from './stores.js';

/** Settings, connections and stores, for every module of the gateway. */
@Module({})
export class StoresModule {
  static register(definition: GatewayDefinition): DynamicModule {
    return {
      module: StoresModule,
      global: true,
      providers: [
        { provide: Stores, useFactory: () => new Stores(definition) },
        { provide: Catalog, inject: [Stores], useFactory: ({ catalog }: Stores) => catalog },
        { provide: TraceStore, inject: [Stores], useFactory: ({ traces }: Stores) => traces },
        {
          provide: Files,
          inject: [Stores],
          useFactory: ({ settings, database }: Stores) => new Files(database, () => openDisk(settings)),
        },
        { provide: FileLinks, inject: [Stores], useFactory: ({ settings }: Stores) => new FileLinks(settings.SEALING_KEYS) },
        {
          provide: KeptFiles,
          inject: [Stores, Files, FileLinks],
          useFactory: ({ settings, hooks }: Stores, files: Files, links: FileLinks) => {
            const [linkMs, keepMs] = [settings.FILES_LINK_MINUTES * 60_000, settings.FILES_KEEP_HOURS * 3_600_000];
            return new KeptFiles({ files, links, publicUrl: hooks.url, linkMs, keepMs });
          },
        },
      ],
      exports: [Stores, Catalog, TraceStore, Files, FileLinks, KeptFiles],
    };
  }
}

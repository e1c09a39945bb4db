import { Module, type DynamicModule } from '@nestjs/common';
import { Catalog } from '#lib/contracts';
import { FileLinks, Files, openDisk } from '#lib/files';
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
      ],
      exports: [Stores, Catalog, TraceStore, Files, FileLinks],
    };
  }
}

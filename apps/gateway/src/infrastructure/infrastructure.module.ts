import { Module, type DynamicModule } from '@nestjs/common';
import { Catalog } from '#lib/contracts';
import { TraceStore } from '#lib/transport';
import type { GatewayDefinition } from '../gateway-definition.js';
import { Infrastructure } from './infrastructure.js';

/** Settings, connections and stores, for every module of the gateway. */
@Module({})
export class InfrastructureModule {
  static register(definition: GatewayDefinition): DynamicModule {
    return {
      module: InfrastructureModule,
      global: true,
      providers: [
        { provide: Infrastructure, useFactory: () => new Infrastructure(definition) },
        { provide: Catalog, inject: [Infrastructure], useFactory: ({ catalog }: Infrastructure) => catalog },
        { provide: TraceStore, inject: [Infrastructure], useFactory: ({ traces }: Infrastructure) => traces },
      ],
      exports: [Infrastructure, Catalog, TraceStore],
    };
  }
}

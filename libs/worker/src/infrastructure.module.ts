import { Module, type DynamicModule } from '@nestjs/common';
import type { DomainName } from '#lib/contracts';
import type { WorkerSettings } from '#lib/platform';
import { Infrastructure } from './infrastructure.js';

/**
 * A module of its own because Nest shuts modules down from the root to the leaves: the connections close after everything in
 * the worker's module has stopped.
 */
@Module({})
export class InfrastructureModule {
  static register(domain: DomainName, settings: WorkerSettings): DynamicModule {
    return {
      module: InfrastructureModule,
      // Made of what the worker is defined by.
      providers: [{ provide: Infrastructure, useFactory: () => new Infrastructure(domain, settings) }],
      exports: [Infrastructure],
    };
  }
}

import { Module, type DynamicModule } from '@nestjs/common';
import type { WorkerSettings } from '#lib/platform';
import { Infrastructure } from './infrastructure.js';

/**
 * A module of its own because Nest shuts modules down from the root to the leaves: the connections close after everything in
 * the worker's module has stopped.
 */
@Module({})
export class InfrastructureModule {
  static register(name: string, settings: WorkerSettings): DynamicModule {
    return {
      module: InfrastructureModule,
      providers: [{ provide: Infrastructure, useFactory: () => new Infrastructure(name, settings) }],
      exports: [Infrastructure],
    };
  }
}

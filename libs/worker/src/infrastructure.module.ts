import { Module, type DynamicModule } from '@nestjs/common';
import { Infrastructure, type LoggedDefinition } from './infrastructure.js';

/**
 * A module of its own because Nest shuts modules down from the root to the leaves: the connections close after everything in
 * the worker's module has stopped.
 */
@Module({})
export class InfrastructureModule {
  static register(definition: LoggedDefinition): DynamicModule {
    return {
      module: InfrastructureModule,
      providers: [
        // Made of what the worker is defined by.
        { provide: Infrastructure, useFactory: () => new Infrastructure(definition) },
      ],
      exports: [Infrastructure],
    };
  }
}

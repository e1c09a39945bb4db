import { Module } from '@nestjs/common';
import { StreamsModule } from '../http/streams.module.js';
import { Stores } from '../stores.js';
import { ActivityController } from './activity.controller.js';
import { OwnDomains } from './own-domains.js';
import { QueueStates } from './queue-states.js';
import { TracesController } from './traces.controller.js';

@Module({
  imports: [StreamsModule],
  controllers: [TracesController, ActivityController],
  providers: [
    {
      provide: QueueStates,
      inject: [Stores],
      useFactory: ({ store, partitions, presence, settings }: Stores) => new QueueStates({ store, partitions, presence, bounds: settings }),
    },
    {
      provide: OwnDomains,
      inject: [Stores],
      useFactory: ({ store, servedDirectory, settings }: Stores) => new OwnDomains({ served: servedDirectory, store, bounds: settings }),
    },
  ],
  exports: [QueueStates, OwnDomains],
})
export class ActivityModule {}

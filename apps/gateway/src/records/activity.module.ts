import { Module } from '@nestjs/common';
import { StreamsModule } from '../http/streams.module.js';
import { ActivityController } from './activity.controller.js';
import { OwnDomains } from './own-domains.js';
import { QueueStates } from './queue-states.js';
import { TracesController } from './traces.controller.js';

@Module({
  imports: [StreamsModule],
  controllers: [TracesController, ActivityController],
  providers: [QueueStates, OwnDomains],
  exports: [QueueStates, OwnDomains],
})
export class ActivityModule {}

import { Module } from '@nestjs/common';
import { OutboxModule } from '../../outbox/outbox.module.js';
import { ActivityModule } from '../../records/activity.module.js';
import { AlertSweeper } from './alert-sweeper.js';

/** What people should look at. */
@Module({
  imports: [ActivityModule, OutboxModule],
  providers: [AlertSweeper],
})
export class AlertsModule {}

import { Module } from '@nestjs/common';
import { SpendingModule } from '../rules/spending/spending.module.js';
import { OutboxModule } from '../outbox/outbox.module.js';
import { AuditController } from './audit.controller.js';
import { AuditTrail } from './audit-trail.js';
import { CallHistory } from './call-history.js';
import { CallErrors } from './call-errors.js';
import { DayKeeper } from './day-keeper.js';
import { ErrorCounts } from './error-counts.js';
import { ErrorKeeper } from './error-keeper.js';
import { ErrorsController } from './errors.controller.js';
import { HistoryController } from './history.controller.js';
import { FailedCalls } from './failed-calls.js';
import { HistoryWriter } from './history-writer.js';

@Module({
  imports: [OutboxModule, SpendingModule],
  controllers: [HistoryController, AuditController, ErrorsController],
  providers: [CallHistory, AuditTrail, FailedCalls, HistoryWriter, ErrorCounts, CallErrors, ErrorKeeper, DayKeeper],
  exports: [FailedCalls, CallHistory],
})
export class HistoryModule {}

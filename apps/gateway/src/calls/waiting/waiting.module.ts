import { Module } from '@nestjs/common';
import { OutboxModule } from '../../outbox/outbox.module.js';
import { Approvals } from './approvals.js';
import { ConnectionLinks } from './connection-links.js';
import { DecisionLinks } from './decision-links.js';
import { InputStore } from './input-store.js';
import { WaitingTurns } from './waiting-turns.js';

/** What people are asked while calls rest. */
@Module({
  imports: [OutboxModule],
  providers: [DecisionLinks, ConnectionLinks, InputStore, WaitingTurns, Approvals],
  exports: [ConnectionLinks, DecisionLinks, Approvals, InputStore, WaitingTurns],
})
export class WaitingModule {}

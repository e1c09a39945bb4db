import { Module } from '@nestjs/common';
import { CallsModule } from '../calls/calls.module.js';
import { HooksModule } from './hooks.module.js';
import { WaitingModule } from '../calls/waiting/waiting.module.js';
import { AskedOfCaller } from './asked-of-caller.js';
import { DecisionLinkController } from './decision-link.controller.js';
import { InputRequestsController } from './input-requests.controller.js';
import { InputRequests } from './input-requests.js';
import { InputSweeper } from './input-sweeper.js';

@Module({
  imports: [CallsModule, HooksModule, WaitingModule],
  controllers: [InputRequestsController, DecisionLinkController],
  providers: [InputRequests, AskedOfCaller, InputSweeper],
  exports: [InputRequests, AskedOfCaller],
})
export class DecisionsModule {}

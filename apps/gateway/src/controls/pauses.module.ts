import { Module } from '@nestjs/common';
import { CallsModule } from '../calls/calls.module.js';
import { FlowModule } from '../rules/flow/flow.module.js';
import { FlowLinesController } from './flow-lines.controller.js';
import { FlowsController } from './flows.controller.js';
import { PausesController } from './pauses.controller.js';

@Module({ imports: [FlowModule, CallsModule], controllers: [PausesController, FlowsController, FlowLinesController] })
export class PausesModule {}

import { Module } from '@nestjs/common';
import { CallsModule } from '../calls/calls.module.js';
import { FlowModule } from '../rules/flow/flow.module.js';
import { RulesModule } from '../rules/rules.module.js';
import { SpendingModule } from '../rules/spending/spending.module.js';
import { BudgetsController } from './budgets.controller.js';
import { FlowLinesController } from './flow-lines.controller.js';
import { FlowsController } from './flows.controller.js';
import { PausesController } from './pauses.controller.js';
import { PoliciesController } from './policies.controller.js';
import { ToolsetsController } from './toolsets.controller.js';

/** The routes by which administrators say what calls may do. */
@Module({
  imports: [CallsModule, RulesModule, SpendingModule, FlowModule],
  controllers: [PoliciesController, ToolsetsController, BudgetsController, PausesController, FlowsController, FlowLinesController],
})
export class ControlsModule {}

import { Module } from '@nestjs/common';
import { CallersModule } from '../callers/callers.module.js';
import { SpendingModule } from '../spending/spending.module.js';
import { BudgetsController } from './budgets.controller.js';

@Module({ imports: [CallersModule, SpendingModule], controllers: [BudgetsController] })
export class BudgetsModule {}

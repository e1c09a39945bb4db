import { Module } from '@nestjs/common';
import { SpendingModule } from '../rules/spending/spending.module.js';
import { BudgetsController } from './budgets.controller.js';

@Module({ imports: [SpendingModule], controllers: [BudgetsController] })
export class BudgetsModule {}

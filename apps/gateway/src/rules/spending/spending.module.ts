import { Module } from '@nestjs/common';
import { OutboxModule } from '../../outbox/outbox.module.js';
import { BudgetDirectory } from './budget-directory.js';
import { BudgetStore } from './budget-store.js';
import { BudgetSweeper } from './budget-sweeper.js';
import { BudgetTeller } from './budget-teller.js';
import { CallBudgets } from './call-budgets.js';

/** What calls may spend: the budgets of tenants, and what is held and spent of them. */
@Module({
  imports: [OutboxModule],
  providers: [BudgetStore, BudgetDirectory, BudgetTeller, CallBudgets, BudgetSweeper],
  exports: [BudgetStore, BudgetDirectory, CallBudgets],
})
export class SpendingModule {}

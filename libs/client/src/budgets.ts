import type { Budget, BudgetList, NewBudget } from './budget-wire.js';
import { Named } from './named.js';
import type { Requests } from './requests.js';

/** What calls of the tenant may cost, or how many there may be, with what is spent. The key needs the scope `tenant:admin`. */
export class Budgets extends Named<Budget, NewBudget, BudgetList> {
  constructor(requests: Requests) {
    super(requests, 'budgets');
  }
}

import type { Budget, BudgetList, NewBudget } from './budget-wire.js';
import { requestParts, type RequestOptions } from './call-request.js';
import type { Requests } from './requests.js';

/** What calls of the tenant may cost, or how many there may be. The key needs the scope `tenant:admin`. */
export class Budgets {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  /** With what is spent of each. */
  async list(options: RequestOptions = {}): Promise<BudgetList> {
    return this.#requests.get<BudgetList>('budgets', options);
  }

  async get(name: string, options: RequestOptions = {}): Promise<Budget> {
    return this.#requests.get<Budget>(pathOf(name), options);
  }

  /** Makes one, or puts it in the place of another. */
  async put(name: string, budget: NewBudget, options: RequestOptions = {}): Promise<Budget> {
    return this.#requests.transport.json<Budget>(pathOf(name), { method: 'PUT', body: budget, ...requestParts(options) });
  }

  async delete(name: string, options: RequestOptions = {}): Promise<Budget> {
    return this.#requests.transport.json<Budget>(pathOf(name), { method: 'DELETE', ...requestParts(options) });
  }
}

function pathOf(name: string): string {
  return `budgets/${encodeURIComponent(name)}`;
}

import { Controller, Delete, Get, HttpCode, Param, Put, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalidField, budgetName, newBudget, toJsonSchema, type Budget, type BudgetList, type NewBudget } from '#lib/contracts';
import { BudgetCounts, SharedClock } from '#lib/transport';
import { callerOf } from '../http/caller-of.js';
import { NamedRows } from '../http/named-rows.js';
import { readBody } from '../http/read-body.js';
import { Route, type RouteParameter } from '../http/route.js';
import { isTimeZone } from '#lib/platform';
import { BudgetDirectory, ReadyBudget } from '../rules/spending/budget-directory.js';
import { BudgetStore, type BudgetRow } from '../rules/spending/budget-store.js';
import { CallBudgets } from '../rules/spending/call-budgets.js';

const maxBudgetBytes = 4_096;
const unreachable = 'Budgets cannot be reached at the moment';
const named: RouteParameter = ['path', 'name', 'Name of the budget.'];

/** What calls of a tenant may cost, or how many there may be. */
@Controller('budgets')
export class BudgetsController {
  readonly #rows: NamedRows<BudgetRow, NewBudget>;

  constructor(
    store: BudgetStore,
    directory: BudgetDirectory,
    private readonly counts: BudgetCounts,
    private readonly budgets: CallBudgets,
    private readonly clock: SharedClock,
  ) {
    this.#rows = new NamedRows({ store, directory, name: budgetName, what: 'budget', path: '/budgets', unreachable });
  }

  @Route({
    access: 'tenant:admin',
    points: 5,
    docs: { id: 'listBudgets', summary: 'The budgets of your tenant, and what is spent of them in this period', tag: 'budgets' },
  })
  @Get()
  async list(@Req() request: FastifyRequest): Promise<BudgetList> {
    const rows = await this.#rows.all(callerOf(request));
    return { budgets: await Promise.all(rows.map(async (row) => this.#shown(row))) };
  }

  @Route({
    access: 'tenant:admin',
    docs: { id: 'getBudget', summary: 'One budget, and what is spent of it', tag: 'budgets', parameters: [named] },
  })
  @Get(':name')
  async one(@Req() request: FastifyRequest, @Param('name') name: string): Promise<Budget> {
    return this.#shown(await this.#rows.one(callerOf(request), name));
  }

  @Route({
    access: 'tenant:admin',
    maxBodyBytes: maxBudgetBytes,
    points: 10,
    docs: {
      id: 'putBudget',
      summary: 'Make a budget, or put it in the place of another: calls beyond it are refused until its day or month is over',
      tag: 'budgets',
      parameters: [named],
      body: toJsonSchema(newBudget, 'input'),
    },
  })
  @Put(':name')
  async put(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('name') given: string,
  ): Promise<Budget> {
    const caller = callerOf(request);
    const name = this.#rows.nameIn(given);
    const body = readBody(request, newBudget);
    if (body.tenant !== undefined && body.tenant !== caller.tenantId)
      throw invalidField('tenant', 'must be your own tenant, which is the default');
    if (!isTimeZone(body.time_zone ?? 'UTC')) throw invalidField('time_zone', 'must be an IANA time zone, such as Europe/Berlin');
    return this.#shown(await this.#rows.put({ request, reply, caller, name }, body));
  }

  @Route({
    access: 'tenant:admin',
    points: 10,
    docs: { id: 'deleteBudget', summary: 'Delete a budget', tag: 'budgets', parameters: [named] },
  })
  @Delete(':name')
  @HttpCode(200)
  async remove(@Req() request: FastifyRequest, @Param('name') name: string): Promise<Budget> {
    const caller = callerOf(request);
    const row = await this.#rows.own(caller, name);
    await this.#rows.remove(caller, row);
    const shown = await this.#shown(row);
    await this.counts.forget(row.tenantId, new ReadyBudget(row).at(this.clock.now()));
    return shown;
  }

  async #shown(row: BudgetRow): Promise<Budget> {
    const budget = new ReadyBudget(row);
    const period = budget.at(this.clock.now());
    let spent = await this.counts.spent(row.tenantId, period);
    if (!spent) {
      await this.budgets.fill(budget, period);
      spent = await this.counts.spent(row.tenantId, period);
    }
    return {
      name: row.name,
      tenant: row.tenantId,
      user: row.userId,
      key: row.key,
      tool: row.tool,
      period: budget.period,
      time_zone: row.timeZone,
      limit_micros: period.limitMicros,
      limit_calls: period.limitCalls,
      warn_at: row.warnAt,
      created_at: row.createdAt.toISOString(),
      updated_at: row.updatedAt.toISOString(),
      spent: {
        micros: spent?.micros ?? 0,
        calls: spent?.calls ?? 0,
        reserved_micros: spent?.reservedMicros ?? 0,
        reserved_calls: spent?.reservedCalls ?? 0,
        since: new Date(period.start).toISOString(),
        resets_at: new Date(period.end).toISOString(),
      },
    };
  }
}

// What is typed into the form of a budget, and what the gateway gets of it.
import type { Budget, NewBudget } from '#lib/client';

export interface BudgetForm {
  readonly name: string;
  readonly user: string;
  readonly key: string;
  readonly tool: string;
  readonly period: 'day' | 'month';
  readonly timeZone: string;
  readonly dollars: string;
  readonly calls: string;
  readonly warnPercent: string;
}

export function newForm(): BudgetForm {
  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return { name: '', user: '', key: '', tool: '', period: 'month', timeZone, dollars: '', calls: '', warnPercent: '80' };
}

export function formFrom(budget: Budget): BudgetForm {
  return {
    name: budget.name,
    user: budget.user ?? '',
    key: budget.key ?? '',
    tool: budget.tool ?? '',
    period: budget.period,
    timeZone: budget.time_zone,
    dollars: budget.limit_micros === null ? '' : String(budget.limit_micros / 1_000_000),
    calls: budget.limit_calls === null ? '' : String(budget.limit_calls),
    warnPercent: String(Math.round(budget.warn_at * 1_000) / 10),
  };
}

/** Null while there is no limit that is a number. */
export function bodyOf(form: BudgetForm): NewBudget | null {
  const [micros, calls] = [Math.round(Number(form.dollars) * 1_000_000), Number(form.calls)];
  const [hasCost, hasCalls] = [form.dollars.trim() !== '', form.calls.trim() !== ''];
  if (form.name === '' || (!hasCost && !hasCalls)) return null;
  if ((hasCost && !Number.isFinite(micros)) || (hasCalls && !Number.isFinite(calls))) return null;
  return {
    period: form.period,
    ...(form.timeZone !== '' && { time_zone: form.timeZone }),
    ...(form.user !== '' && { user: form.user }),
    ...(form.key !== '' && { key: form.key }),
    ...(form.tool !== '' && { tool: form.tool }),
    ...(hasCost && { limit_micros: micros }),
    ...(hasCalls && { limit_calls: calls }),
    warn_at: Number(form.warnPercent) / 100 || 0,
  };
}

/** The larger share of its limits that is spent, open calls included. */
export function shareOf({ limit_micros, limit_calls, spent }: Budget): number {
  const share = (used: number, limit: number | null) => (limit === null ? 0 : limit === 0 ? 1 : used / limit);
  return Math.max(share(spent.micros + spent.reserved_micros, limit_micros), share(spent.calls + spent.reserved_calls, limit_calls));
}

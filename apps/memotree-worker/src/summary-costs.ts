// What summaries cost: they are no calls, but the history, the sums and the budgets of their tenant have them like calls.
import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import type { Database } from '#lib/platform';
import { partitionOf, periodAt, spentInHistory, toHistoryCall, type HistoryStream } from '#lib/transport';

/** What sums, history and budgets call a summary that a model was asked for. */
const summaryName = 'memotree_summary';
/** What is known of a tenant's budgets holds for this long. */
const knownMs = 2_000;

interface SummaryCostsParts {
  readonly database: Pick<Database, '$queryRaw'>;
  readonly ended: Pick<HistoryStream, 'add'>;
  readonly model: string;
  /** Null where no price is known. */
  readonly priceOf: ((usage: LanguageModelV4Usage) => number) | null;
  /** Epoch ms, as gateways have it. */
  readonly now: () => number;
}

/** A model was asked for a summary, and has said what that took. */
export interface AskedSummary {
  readonly tenantId: string;
  readonly usage: LanguageModelV4Usage;
  readonly startedAt: number;
  /** Whether it gave one. */
  readonly isDone: boolean;
}

interface BudgetOfTenant {
  readonly tool: string | null;
  readonly period: string;
  readonly timeZone: string;
  readonly limitMicros: number | null;
  readonly limitCalls: number | null;
}

export class SummaryCosts {
  readonly #parts: SummaryCostsParts;
  readonly #known = new Map<string, { readonly at: number; readonly hasRoom: Promise<boolean> }>();

  constructor(parts: SummaryCostsParts) {
    this.#parts = parts;
  }

  /** Epoch ms. */
  get now(): number {
    return this.#parts.now();
  }

  /**
   * Whether every budget that bounds the whole tenant, or these summaries, has something left. What runs at the moment may pass a limit, as calls whose
   * handlers report costs may.
   */
  async hasRoom(tenantId: string): Promise<boolean> {
    const at = this.now;
    const known = this.#known.get(tenantId);
    if (known && at - known.at < knownMs) return known.hasRoom;
    for (const [tenant, { at: then }] of this.#known) if (at - then >= knownMs) this.#known.delete(tenant);
    const hasRoom = this.#look(tenantId, at);
    this.#known.set(tenantId, { at, hasRoom });
    return hasRoom;
  }

  /** Leaves it to the gateways, which store and count it once. Rejects when Redis is away. */
  async record({ tenantId, usage, startedAt, isDone }: AskedSummary): Promise<void> {
    const { ended, model, priceOf, now } = this.#parts;
    const partition = partitionOf('memotree');
    const work = { tenantId, name: summaryName, by: 'worker:memotree', isDone, startedAt, finishedAt: now(), model };
    const tokens = { inputTokens: whole(usage.inputTokens.total), outputTokens: whole(usage.outputTokens.total) };
    await ended.add(partition, toHistoryCall(partition, { ...work, ...tokens, micros: priceOf?.(usage) ?? 0 }));
  }

  async #look(tenantId: string, at: number): Promise<boolean> {
    const { database, priceOf } = this.#parts;
    const budgets = await database.$queryRaw<BudgetOfTenant[]>`
      SELECT tool, period, time_zone AS "timeZone", limit_micros::float8 AS "limitMicros", limit_calls::float8 AS "limitCalls" FROM budget
      WHERE tenant_id = ${tenantId} AND user_id IS NULL AND key IS NULL AND (tool IS NULL OR tool = ${summaryName})`;
    for (const { tool, period, timeZone, limitMicros, limitCalls } of budgets) {
      const during = periodAt(at, period === 'month' ? 'month' : 'day', timeZone);
      const spent = await spentInHistory(database, { tenantId, userId: null, key: null, tool }, during);
      // Budgets of money go on past their limit with what costs nothing.
      if (priceOf !== null && limitMicros !== null && spent.micros >= limitMicros) return false;
      if (limitCalls !== null && spent.calls >= limitCalls) return false;
    }
    return true;
  }
}

/** What a provider says need not be a number of tokens. */
function whole(tokens: number | undefined): number {
  return tokens !== undefined && tokens > 0 ? Math.min(2 ** 31 - 1, Math.ceil(tokens)) : 0;
}

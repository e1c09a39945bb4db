import { type BeforeApplicationShutdown, type OnApplicationBootstrap, Inject, Injectable } from '@nestjs/common';
import { Rounds, type Logger } from '#lib/platform';
import { BudgetCounts, type HistoryCall, HistoryStream, OutboxEntries, type Partition, type RestedCall } from '#lib/transport';
import { CallBudgets } from '../rules/spending/call-budgets.js';
import { FailedCalls } from './failed-calls.js';
import { keptCalls } from './kept-calls.js';
import { Outbox } from '../outbox/outbox.js';
import type { OutboxEvent } from '../outbox/outbox-event.js';
import { endedEvent, requestedEvent, restingEvent } from '../outbox/told-events.js';
import { Stores } from '../stores.js';

/** A gateway looks this often; of all of them one stores the calls of a partition at a time. */
const everyMs = 1_000;
/** A partition that another gateway has just looked at is its for this long: the others need not ask for it every time. */
const othersMs = 3_000;
/** Calls that are stored at once. Nobody else is answered while they are read, and while they are written: 15 µs each. */
const fewCalls = 256;
/** Entries that are read at once; each has a group of up to 16 calls. */
const mostEntries = 100;
/** Entries of one partition before the next has its turn. */
const mostOfPartition = 2_000;

/**
 * Moves ended calls from Redis to Postgres. They leave Redis when Postgres has them, so a process that is killed in between leaves them to the
 * next, and Postgres keeps each once (PL-05). What webhooks are told of them is stored with them.
 */
@Injectable()
export class HistoryWriter implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #rounds = new Rounds({
    everyMs,
    round: async () => this.round(performance.now()),
    onFault: (error) =>
      this.stores.log.warn({ event: 'history-fault', err: error }, 'ended calls could not be written to the history; they stay in Redis'),
  });
  /** When it may look at partitions again that another gateway looks at. */
  readonly #restUntil = new Map<Partition, number>();
  /** Calls of an entry, as they were lately. */
  #groupSize = 16;

  constructor(
    @Inject(Stores)
    private readonly stores: Pick<Stores, 'database' | 'allPartitions'> & {
      readonly store: { readonly open: Pick<Stores['store']['open'], 'sweepAlone'> };
      readonly log: Pick<Logger, 'error' | 'warn'>;
    },
    @Inject(HistoryStream) private readonly ended: Pick<HistoryStream, 'isEmpty' | 'read' | 'drop'>,
    private readonly entries: OutboxEntries,
    private readonly outbox: Outbox,
    private readonly failed: FailedCalls,
    private readonly budgets: BudgetCounts,
    private readonly spending: CallBudgets,
  ) {}

  onApplicationBootstrap(): void {
    this.#rounds.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#rounds.stop();
  }

  /**
   * Stores what each partition has that no other gateway looks at. Rejects as `write` does.
   * @param now in ms of a clock that only goes forward
   */
  async round(now: number): Promise<void> {
    const rested = this.stores.allPartitions.filter((partition) => now >= (this.#restUntil.get(partition) ?? now));
    // Asked first, and of all at once: a lease is three writes, every second, also where nobody calls.
    const empty = await Promise.all(rested.map(async (partition) => this.#isEmpty(partition)));
    for (const partition of rested.filter((_, index) => !empty[index])) {
      if (this.#rounds.stopping.aborted) return;
      const lease = { partition, what: 'history', restMs: everyMs / 2 } as const;
      if (await this.stores.store.open.sweepAlone(lease, () => this.write(partition))) this.#restUntil.delete(partition);
      else this.#restUntil.set(partition, now + othersMs);
    }
  }

  /** Stores what a partition has by now, up to 2,000 groups of calls. Rejects when Redis or Postgres is away: what is not stored stays. */
  async write(partition: Partition): Promise<void> {
    for (let left = mostOfPartition; left > 0 && !this.#rounds.stopping.aborted;) {
      const most = Math.min(mostEntries, Math.max(1, Math.floor(fewCalls / this.#groupSize)));
      const ended = await this.ended.read(partition, most);
      // Read afterwards: it has what came before their ends, and that is stored before them.
      const others = await this.entries.read(partition, most);
      if (ended.length + others.length === 0) return;
      left -= Math.max(ended.length, others.length);
      if (ended.length > 0) this.#groupSize = Math.max(1, ended.reduce((sum, { calls }) => sum + (calls?.length ?? 0), 0) / ended.length);
      const entries = others.length < most ? ended : [];
      const calls = [...others.flatMap((entry) => entry.ended), ...entries.flatMap((entry) => entry.calls ?? [])];
      const work = calls.filter(({ background }) => background);
      for (const one of work) await this.spending.prepare(one);
      await this.#keep(
        calls,
        others.flatMap(({ rested }) => rested ?? []),
      );
      const unread = entries.filter(({ calls }) => calls === null).map(({ id }) => id);
      if (unread.length > 0)
        this.stores.log.error(
          { event: 'history-unreadable', partition, entries: unread },
          'entries of ended calls are none of ours; they are dropped',
        );
      await this.failed.keep(calls.filter(({ state }) => state === 'failed'));
      await this.#settle(calls.filter(({ budgeted }) => budgeted));
      for (const one of work) await this.spending.count(one);
      await this.ended.drop(entries);
      await this.entries.drop(partition, others);
      // What has come meanwhile waits for the next round: to store a few costs as much as to store many.
      if (Math.max(ended.length, others.length) < most) return;
    }
  }

  async #isEmpty(partition: Partition): Promise<boolean> {
    return (await Promise.all([this.ended.isEmpty(partition), this.entries.isEmpty(partition)])).every(Boolean);
  }

  async #keep(calls: readonly HistoryCall[], rested: readonly RestedCall[]): Promise<void> {
    const { database } = this.stores;
    const told = calls.filter(({ background }) => !background);
    const deliveries = await this.outbox.deliveries(database, {
      tenants: [...rested, ...told].map(({ tenant_id }) => tenant_id),
      events: async () => [...rested.map(restingEvent), ...(await this.#requested(rested)), ...told.map(endedEvent)],
    });
    const kept = keptCalls(calls);
    if (deliveries.length === 0) return void (calls.length > 0 && (await database.$queryRaw`SELECT keep_calls(${kept}::jsonb)`));
    await database.$transaction(async (transaction) => {
      if (calls.length > 0) await transaction.$queryRaw`SELECT keep_calls(${kept}::jsonb)`;
      await this.outbox.store(transaction, deliveries);
    });
  }

  /** Counts them in the budgets that hold room for them. Once more changes nothing. */
  async #settle(calls: readonly HistoryCall[]): Promise<void> {
    await Promise.all(
      calls.map(async ({ tenant_id, job_id, attempts_made, cost_micros: micros }) =>
        this.budgets.settle(tenant_id, job_id, { ran: attempts_made > 0, micros }),
      ),
    ).catch((error: unknown) =>
      // The history does not wait for it: a sweeper finds what is still held.
      this.stores.log.warn({ event: 'budget-events-fault', err: error }, 'ended calls could not be counted in budgets; a sweeper does it'),
    );
  }

  /** What people are asked while calls rest. */
  async #requested(rested: readonly RestedCall[]): Promise<readonly OutboxEvent[]> {
    const ids = rested.flatMap(({ input_request }) => input_request ?? []);
    if (ids.length === 0) return [];
    return (await this.stores.database.inputRequest.findMany({ where: { id: { in: ids } } })).map(requestedEvent);
  }
}

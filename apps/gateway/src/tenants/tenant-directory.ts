import { setTimeout as wait } from 'node:timers/promises';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import { Refusal } from '#lib/contracts';
import { onceASecond, type Logger } from '#lib/platform';
import type { RedisKeys } from '#lib/transport';
import { ChangeNotices, type NoticeStores } from './change-notices.js';

/** Every gateway receives a notice of a change; this finds one whose notice was lost. */
const recheckMs = 5_000;
/** While Postgres has not answered yet. */
const firstMs = 500;
/** What a start waits for Postgres. */
const mostStartMs = 2_000;

/** What tells that the rows of a tenant have changed. */
export interface TenantMark {
  readonly tenantId: string;
  readonly mark: string;
}

/** Rows of tenants in Postgres. */
export interface TenantRows<Row extends { readonly tenantId: string }> {
  /** In their order. */
  ofTenants(tenants: readonly string[]): Promise<readonly Row[]>;
  /** The tenants that have rows. Any change gives a tenant another mark. */
  marks(): Promise<readonly TenantMark[]>;
}

/** What a directory needs of the stores. */
export interface DirectoryStores extends NoticeStores {
  readonly keys: Pick<RedisKeys, 'changesOf'>;
  readonly log: Pick<Logger, 'warn'>;
}

interface Kind<Row extends { readonly tenantId: string }, Ready> {
  readonly store: TenantRows<Row>;
  /** By which every gateway hears of changes. */
  readonly notice: Parameters<RedisKeys['changesOf']>[0];
  /** What they are, for messages: `policies`. */
  readonly what: string;
  /** Of the log, when they could not be read. */
  readonly event: string;
  readonly ready: (row: Row) => Ready;
}

interface OfTenant<Ready> {
  readonly mark: string;
  readonly rows: readonly Ready[];
}

/**
 * The rows of all tenants, in every gateway alike. While Postgres is away they stay as they were; before it has answered once no call is
 * accepted, since nobody knows what is forbidden.
 */
export class TenantDirectory<Row extends { readonly tenantId: string }, Ready>
  implements OnApplicationBootstrap, BeforeApplicationShutdown
{
  readonly #kind: Kind<Row, Ready>;
  readonly #notices: ChangeNotices;
  readonly #onFault: (error: unknown) => void;
  #known: ReadonlyMap<string, OfTenant<Ready>> | null = null;
  #reading: Promise<boolean> | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #onChange: (tenants: ReadonlySet<string>) => void = () => undefined;

  constructor(stores: DirectoryStores, kind: Kind<Row, Ready>) {
    this.#kind = kind;
    this.#onFault = onceASecond((error: unknown) =>
      stores.log.warn({ event: kind.event, err: error }, `the ${kind.what} of tenants could not be read; they stay as they were`),
    );
    const channel = stores.keys.changesOf(kind.notice);
    this.#notices = new ChangeNotices(stores, { channel, read: async () => this.refresh(), onFault: this.#onFault });
  }

  async onApplicationBootstrap(): Promise<void> {
    // A gateway also starts while a store is away.
    this.#notices.start().catch(this.#onFault);
    await Promise.race([this.refresh(), wait(mostStartMs, undefined, { ref: false })]);
    this.#look();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    // A read that goes on while the stores close would open a connection that nobody closes.
    await this.#reading;
  }

  /** Has this told of each change, with the tenants whose rows are others now. What a start reads is no change. */
  onChange(listener: (tenants: ReadonlySet<string>) => void): void {
    this.#onChange = listener;
  }

  /** In their order. Throws NETWORK_ERROR. */
  of(tenantId: string): readonly Ready[] {
    if (!this.#known)
      throw new Refusal('NETWORK_ERROR', `The ${this.#kind.what} of tenants have not been read yet`, { retry_after_ms: 1_000 });
    return this.#known.get(tenantId)?.rows ?? [];
  }

  /** The tenants that have some. */
  get tenants(): readonly string[] {
    return [...(this.#known?.keys() ?? [])];
  }

  /** After a change: once it returns, every gateway knows of it that answers within a second. */
  async changed(): Promise<void> {
    await this.refresh();
    await this.#notices.tell();
  }

  /** Reads the store now. One read serves all who ask while it has not begun. @returns false when the store is away */
  async refresh(): Promise<boolean> {
    // A read that runs already may have missed what the asker knows of.
    await this.#reading;
    if (this.#isStopped) return true;
    this.#reading ??= this.#read().finally(() => (this.#reading = null));
    return this.#reading;
  }

  #look(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => void this.refresh().finally(() => this.#look()), this.#known ? recheckMs : firstMs).unref();
  }

  async #read(): Promise<boolean> {
    const { store, ready } = this.#kind;
    try {
      const marks = await store.marks();
      const others = marks.filter(({ tenantId, mark }) => this.#known?.get(tenantId)?.mark !== mark);
      const read = Map.groupBy(await store.ofTenants(others.map(({ tenantId }) => tenantId)), ({ tenantId }) => tenantId);
      const entries = marks.map(({ tenantId, mark }): [string, OfTenant<Ready>] => {
        const known = this.#known?.get(tenantId);
        return [tenantId, known?.mark === mark ? known : { mark, rows: (read.get(tenantId) ?? []).map(ready) }];
      });
      const before = this.#known;
      this.#known = new Map(entries);
      const changed = new Set([...(before?.keys() ?? []), ...this.#known.keys()].filter((id) => before?.get(id) !== this.#known?.get(id)));
      if (before && changed.size > 0) this.#onChange(changed);
      return true;
    } catch (error) {
      this.#onFault(error);
      return false;
    }
  }
}

import { setTimeout as wait } from 'node:timers/promises';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { Refusal } from '#lib/contracts';
import type { RedisClient, RedisKeys } from '#lib/transport';
import { callCondition, type LookedCall } from './call-conditions.js';
import { ExpressionError, type Condition } from './expression.js';
import type { PolicyRow, PolicyStore } from './policy-store.js';

/** A change is told by a notice; this finds one whose notice was lost. */
const recheckMs = 5_000;
/** While Postgres has not answered yet. */
const firstMs = 500;
/** What a start waits for Postgres. */
const mostStartMs = 2_000;

/** A policy, ready to be looked at. */
export interface ReadyPolicy {
  readonly row: PolicyRow;
  readonly condition: Condition<LookedCall>;
}

interface PolicyDirectoryParts {
  readonly store: Pick<PolicyStore, 'marks' | 'ofTenants'>;
  readonly redis: Pick<RedisClient, 'publish'>;
  readonly subscriber: Redis;
  readonly keys: Pick<RedisKeys, 'policyChanges'>;
  readonly onFault: (error: unknown) => void;
}

interface PoliciesOfTenant {
  readonly mark: string;
  readonly policies: readonly ReadyPolicy[];
}

const none: readonly ReadyPolicy[] = [];

/**
 * The policies of all tenants, in every gateway alike. While Postgres is away they stay as they were; before it has answered once no call is
 * accepted, since nobody knows what is forbidden.
 */
export class PolicyDirectory implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #parts: PolicyDirectoryParts;
  #known: ReadonlyMap<string, PoliciesOfTenant> | null = null;
  #reading: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(parts: PolicyDirectoryParts) {
    this.#parts = parts;
  }

  async onApplicationBootstrap(): Promise<void> {
    const { keys, subscriber, onFault } = this.#parts;
    const channel = keys.policyChanges();
    subscriber.on('message', (from) => {
      if (from === channel) void this.refresh();
    });
    // A gateway also starts while a store is away.
    subscriber.subscribe(channel).catch(onFault);
    await Promise.race([this.refresh(), wait(mostStartMs, undefined, { ref: false })]);
    this.#look();
  }

  beforeApplicationShutdown(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** In the order in which they are looked at. Throws NETWORK_ERROR. */
  of(tenantId: string): readonly ReadyPolicy[] {
    if (!this.#known) throw new Refusal('NETWORK_ERROR', 'The policies of tenants have not been read yet', { retry_after_ms: 1_000 });
    return this.#known.get(tenantId)?.policies ?? none;
  }

  /** Tells every gateway that some have changed, this one included. */
  async changed(): Promise<void> {
    const { redis, keys, onFault } = this.#parts;
    await this.refresh();
    await redis.publish(keys.policyChanges(), '').catch(onFault);
  }

  /** Reads the store now. One read serves all who ask while it has not begun. */
  async refresh(): Promise<void> {
    // A read that runs already may have missed what the asker knows of.
    await this.#reading;
    this.#reading ??= this.#read().finally(() => (this.#reading = null));
    await this.#reading;
  }

  #look(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => void this.refresh().finally(() => this.#look()), this.#known ? recheckMs : firstMs).unref();
  }

  async #read(): Promise<void> {
    const { store, onFault } = this.#parts;
    try {
      const marks = await store.marks();
      const others = marks.filter(({ tenantId, mark }) => this.#known?.get(tenantId)?.mark !== mark);
      const read = Map.groupBy(await store.ofTenants(others.map(({ tenantId }) => tenantId)), ({ tenantId }) => tenantId);
      const entries = marks.map(({ tenantId, mark }): [string, PoliciesOfTenant] => {
        const known = this.#known?.get(tenantId);
        return [tenantId, known?.mark === mark ? known : { mark, policies: (read.get(tenantId) ?? []).map(readyPolicy) }];
      });
      this.#known = new Map(entries);
    } catch (error) {
      onFault(error);
    }
  }
}

/** One that this version cannot read cannot be worked out for any call. */
export function readyPolicy(row: PolicyRow): ReadyPolicy {
  try {
    return { row, condition: callCondition(row.when) };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    const fail = (): never => {
      throw error;
    };
    return { row, condition: { holds: fail, explain: () => [] } };
  }
}

import type { Redis } from 'ioredis';
import { fingerprint, withRetryBase, type Catalog, type ToolContract } from '#lib/contracts';
import { ServedPresence, sharedClock, type Followers, type RedisKeys, type ServedName, type RedisClient } from '#lib/transport';
import { contractIn, type ServedRow } from './served-tools.js';

/** How often it is looked who serves what. */
const presenceMs = 5_000;
/** A change of what is approved is told by a notice; every so many looks the store is read for one whose notice was lost. */
const storeEvery = 3;
/** How long after its last worker a tool is still taken for served, in ms: long enough for a deployment of the worker. */
const graceMs = 30_000;

interface ServedDirectoryParts {
  readonly redis: RedisClient;
  readonly subscriber: Redis;
  readonly keys: RedisKeys;
  readonly catalog: Catalog;
  readonly followers: Pick<Followers, 'include'>;
  /** All approved versions. */
  readonly load: () => Promise<readonly ServedRow[]>;
  /** Before the first retry of a call, in ms. */
  readonly retryBaseMs: number;
  readonly onFault: (error: unknown) => void;
}

interface Approved {
  /** Of what the worker announced. */
  readonly announced: string;
  readonly print: string;
  readonly contract: ToolContract;
  /** The same while no worker serves it. */
  readonly away: ToolContract;
}

/**
 * Keeps the tools that tenants serve in the catalog, in every gateway alike: those that are approved, and whether a worker serves them.
 * While the stores are away it stays as it was.
 */
export class ServedDirectory {
  readonly #parts: ServedDirectoryParts;
  readonly #presence: ServedPresence;
  readonly #listeners = new Set<() => void>();
  #approved: ReadonlyMap<string, Approved> = new Map();
  #present: ReadonlySet<string> = new Set();
  #shown = '';
  #looks = 0;
  #reading: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: ServedDirectoryParts) {
    this.#parts = parts;
    this.#presence = new ServedPresence(parts.redis, parts.keys);
  }

  async start(): Promise<void> {
    const { keys, subscriber } = this.#parts;
    const channel = keys.servedChanges();
    subscriber.on('message', (from) => {
      if (from === channel) void this.refresh();
    });
    await subscriber.subscribe(channel);
    await this.refresh();
    this.#timer = setInterval(() => void this.#look(), presenceMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Told after each change of what is approved or served. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** The approved contract of this very version, whether a worker serves it or not. */
  find(served: ServedName): ToolContract | undefined {
    return this.#approved.get(ServedPresence.fieldOf(served))?.contract;
  }

  /** Whether this version is approved as it was announced. @param announced the fingerprint of the contract as data */
  isApprovedAs(served: ServedName, announced: string): boolean {
    return this.#approved.get(ServedPresence.fieldOf(served))?.announced === announced;
  }

  /** Whether a worker of any gateway serves a tool of this queue. */
  servesQueue(queue: string): boolean {
    return [...this.#present].some((field) => field.startsWith(`${queue} `));
  }

  /** Whether a worker of any gateway serves this version, or did until a moment ago. */
  isServed(served: ServedName): boolean {
    return this.#present.has(ServedPresence.fieldOf(served));
  }

  /** The queues of all approved tools. */
  get queues(): readonly string[] {
    return [...new Set([...this.#approved.values()].map(({ contract }) => contract.domain))];
  }

  /** Says that workers of this gateway serve these. */
  async announce(served: readonly ServedName[]): Promise<void> {
    await this.#presence.announce(served, sharedClock.now() + graceMs);
  }

  /** Tells every gateway that something has changed, this one included. */
  async changed(): Promise<void> {
    await this.refresh();
    // The notice only speeds things up: every gateway also looks by itself.
    await this.#parts.redis.publish(this.#parts.keys.servedChanges(), 'changed').catch(this.#parts.onFault);
  }

  /** Reads both stores now. One read serves all who ask while it has not begun. */
  async refresh(): Promise<void> {
    // A read that runs already may have missed what the asker knows of.
    await this.#reading;
    this.#reading ??= this.#read(true).finally(() => (this.#reading = null));
    await this.#reading;
  }

  async #look(): Promise<void> {
    this.#looks += 1;
    this.#reading ??= this.#read(this.#looks % storeEvery === 0).finally(() => (this.#reading = null));
    await this.#reading;
  }

  async #read(readsStore: boolean): Promise<void> {
    const { load, keys, followers, catalog, onFault } = this.#parts;
    try {
      if (readsStore) this.#approved = this.#madeOf(await load());
      this.#present = await this.#presence.present(sharedClock.now());
      // A call can be accepted once its tool is in the catalog, so its end must be heard before.
      await followers.include(keys, this.queues);
      const shown = [...this.#approved].map(([field, { print }]) => [field, print, this.#present.has(field)]);
      const print = fingerprint(shown);
      if (print === this.#shown) return;
      this.#shown = print;
      catalog.replaceServed(this.#byTenant());
    } catch (error) {
      return onFault(error);
    }
    for (const listener of this.#listeners) listener();
  }

  /** A contract that has not changed stays the same object: what was made of it is kept with it. */
  #madeOf(rows: readonly ServedRow[]): ReadonlyMap<string, Approved> {
    return new Map(
      rows.flatMap((row): [string, Approved][] => {
        const print = fingerprint([row.tenantId, row.domain, row.contract]);
        const made = contractIn(row);
        if (!made) return [];
        const field = ServedPresence.fieldOf({ queue: made.domain, name: made.name, version: made.version });
        const known = this.#approved.get(field);
        if (known?.print === print) return [[field, known]];
        const contract = withRetryBase(made, this.#parts.retryBaseMs);
        return [[field, { announced: fingerprint(row.contract), print, contract, away: { ...contract, away: true } }]];
      }),
    );
  }

  #byTenant(): ReadonlyMap<string, readonly ToolContract[]> {
    const contracts = [...this.#approved].map(([field, { contract, away }]) => (this.#present.has(field) ? contract : away));
    return Map.groupBy(contracts, ({ served }) => served?.tenant ?? '');
  }
}

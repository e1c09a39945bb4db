import type { Redis } from 'ioredis';
import type { Catalog, ToolContract } from '#lib/contracts';
import { ServedPresence, sharedClock, type Followers, type RedisKeys, type ServedName, type RedisClient } from '#lib/transport';
import { ApprovedVersions } from './approved-versions.js';
import type { ServedTools } from './served-tools.js';

/** How often it is looked who serves what. */
const presenceMs = 5_000;
/** A change of what is approved is told by a notice; every so many looks the store is asked for one whose notice was lost. */
const storeEvery = 3;
/** Every so many looks everything is compared with the store, and what waited too long for its approval is forgotten. */
const allEvery = 60;
/** How long after its last worker a tool is still taken for served, in ms: long enough for a deployment of the worker. */
const graceMs = 30_000;

interface ServedDirectoryParts {
  readonly redis: RedisClient;
  readonly subscriber: Redis;
  readonly keys: RedisKeys;
  readonly catalog: Catalog;
  readonly followers: Pick<Followers, 'include'>;
  readonly tools: Pick<ServedTools, 'changedSince' | 'approvedCount' | 'contractsOf' | 'forgetPending'>;
  /** Before the first retry of a call, in ms. */
  readonly retryBaseMs: number;
  readonly onFault: (error: unknown) => void;
}

/** Told which tenants have other tools now. */
type Listener = (tenants: ReadonlySet<string>) => void;

/**
 * Keeps the tools that tenants serve in the catalog, in every gateway alike: those that are approved, and whether a worker serves them.
 * While the stores are away it stays as it was.
 */
export class ServedDirectory {
  readonly #parts: ServedDirectoryParts;
  readonly #presence: ServedPresence;
  readonly #approved: ApprovedVersions;
  readonly #listeners = new Set<Listener>();
  #present: ReadonlySet<string> = new Set();
  #looks = 0;
  #reading: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: ServedDirectoryParts) {
    this.#parts = parts;
    this.#presence = new ServedPresence(parts.redis, parts.keys);
    this.#approved = new ApprovedVersions(parts.tools, parts.retryBaseMs);
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
  onChange(listener: Listener): void {
    this.#listeners.add(listener);
  }

  /** The approved contract of this very version, whether a worker serves it or not. */
  find(served: ServedName): ToolContract | undefined {
    return this.#approved.find(served)?.built?.contract;
  }

  /** Whether this version is approved as it was announced. @param announced the fingerprint of the contract as data */
  isApprovedAs(served: ServedName, announced: string): boolean {
    return this.#approved.find(served)?.announced === announced;
  }

  /** Makes what a tenant sees of its tools before it looks: it takes time, and the others have their turns meanwhile. */
  async prepare(tenantId: string): Promise<void> {
    if (!this.#approved.areBuilt(tenantId)) await this.#approved.build(tenantId);
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
    return this.#approved.queues;
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
    this.#reading ??= this.#read('changes').finally(() => (this.#reading = null));
    await this.#reading;
  }

  async #look(): Promise<void> {
    this.#looks += 1;
    const what = this.#looks % allEvery === 0 ? 'all' : this.#looks % storeEvery === 0 ? 'changes' : 'presence';
    this.#reading ??= this.#read(what).finally(() => (this.#reading = null));
    await this.#reading;
  }

  async #read(what: 'presence' | 'changes' | 'all'): Promise<void> {
    const { keys, followers, catalog, tools, onFault } = this.#parts;
    const tenants = new Set<string>();
    try {
      if (what === 'all') await tools.forgetPending();
      if (what !== 'presence') for (const tenant of await this.#approved.read(what === 'all')) tenants.add(tenant);
      const present = await this.#presence.present(sharedClock.now());
      for (const field of differing(present, this.#present)) {
        const version = this.#approved.of(field);
        if (version) tenants.add(version.tenantId);
      }
      // A call can be accepted once its tool is in the catalog, so its end must be heard before.
      await followers.include(keys, this.queues);
      this.#present = present;
    } catch (error) {
      onFault(error);
    }
    if (tenants.size === 0) return;
    for (const tenant of tenants) catalog.replaceServed(tenant, this.#contractsOf(tenant));
    for (const listener of this.#listeners) listener(tenants);
  }

  #contractsOf(tenant: string): (() => readonly ToolContract[]) | null {
    if (this.#approved.ofTenant(tenant).size === 0) return null;
    return () => this.#approved.contractsOf(tenant, (field) => this.#present.has(field));
  }
}

function differing(now: ReadonlySet<string>, before: ReadonlySet<string>): readonly string[] {
  return [...[...now].filter((one) => !before.has(one)), ...[...before].filter((one) => !now.has(one))];
}

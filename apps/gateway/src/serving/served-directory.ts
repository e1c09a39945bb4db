import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Catalog, ToolContract } from '#lib/contracts';
import {
  BusyDomains,
  ServedLastSeen,
  ServedPresence,
  type ConnectedDomain,
  type Followers,
  type RedisKeys,
  type ServedName,
  type RedisClient,
  type SeenDomain,
} from '#lib/transport';
import { ChangeNotices } from '../tenants/change-notices.js';
import { ApprovedVersions } from './approved-versions.js';
import type { ServedTools } from './served-tools.js';
import { servedIn, ServingState } from './serving-state.js';

/** How often it is looked who serves what. */
const presenceMs = 5_000;
/** A change of what is approved is told by a notice; every so many looks the store is asked for one whose notice was lost. */
const storeEvery = 3;
/** Every so many looks everything is compared with the store, and what waited too long for its approval is forgotten. */
const allEvery = 60;
/** How long after its last worker a tool is still taken for served, in ms: long enough for a deployment of the worker. */
const graceMs = 30_000;
/** How long what a gateway says of its workers holds, in ms. */
const toldMs = 15_000;

interface ServedDirectoryParts {
  readonly redis: RedisClient;
  readonly subscriber: Redis;
  readonly keys: RedisKeys;
  readonly catalog: Catalog;
  /** Epoch ms, the same for all processes. */
  readonly now: () => number;
  readonly followers: Pick<Followers, 'include' | 'includes' | 'exclude'>;
  readonly tools: Pick<ServedTools, 'changedSince' | 'removedSince' | 'approvedCount' | 'contractsOf' | 'forgetPending'>;
  /** Before the first retry of a call, in ms. */
  readonly retryBaseMs: number;
  readonly onFault: (error: unknown) => void;
}

/** Told which tenants have other tools now. */
type Listener = (tenants: ReadonlySet<string>) => void;

/** From what costs the least to what knows the most. */
const presence = 'presence';
const looks = [presence, 'changes', 'all'] as const;
type Look = (typeof looks)[number];

/**
 * Keeps the tools that tenants serve in the catalog, in every gateway alike: those that are approved, and whether a worker serves them.
 * While the stores are away it stays as it was.
 */
export class ServedDirectory {
  /** Which domains may hold calls. */
  readonly busy: BusyDomains;
  readonly #parts: ServedDirectoryParts;
  readonly #presence: ServedPresence;
  readonly #lastSeen: ServedLastSeen;
  readonly #state: ServingState;
  readonly #approved: ApprovedVersions;
  readonly #notices: ChangeNotices;
  readonly #listeners = new Set<Listener>();
  readonly #queueListeners = new Set<() => void>();
  readonly #gatewayId = randomBytes(8).toString('hex');
  /** What was last said of the programs that serve a queue here. */
  readonly #told = new Map<string, string>();
  #looks = 0;
  /** The place among `looks` of what was asked for since the last one began. */
  #wanted = 0;
  #reading: Promise<boolean> | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: ServedDirectoryParts) {
    const { redis, keys, followers, tools, now, retryBaseMs } = parts;
    this.#parts = parts;
    this.busy = new BusyDomains(redis, keys, now);
    this.#presence = new ServedPresence(redis, keys);
    this.#lastSeen = new ServedLastSeen(redis, keys);
    this.#state = new ServingState({ presence: this.#presence, busy: this.busy, followers, now });
    this.#approved = new ApprovedVersions(tools, retryBaseMs);
    this.#notices = new ChangeNotices(parts, {
      channel: keys.changesOf('served'),
      read: async (what) => this.refresh(what === presence ? presence : 'changes'),
      onFault: parts.onFault,
    });
  }

  async start(): Promise<void> {
    await this.#notices.start();
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

  /** Told after a change of `queues`, and now and then. */
  onQueues(listener: () => void): void {
    this.#queueListeners.add(listener);
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
    if (!this.isPrepared(tenantId)) await this.#approved.build(tenantId);
  }

  /** Whether `prepare` has nothing to do. */
  isPrepared(tenantId: string): boolean {
    return this.#approved.areBuilt(tenantId);
  }

  /** Whether a worker of any gateway serves a tool of this queue. */
  servesQueue(queue: string): boolean {
    return this.#state.servesQueue(queue);
  }

  /** Whether a worker of any gateway serves this version, or did until a moment ago and has not given it up. */
  isServed(served: ServedName): boolean {
    return this.#state.isServed(ServedPresence.fieldOf(served));
  }

  /** The queues that a worker serves, or that may hold calls: the others need no look at them. */
  get queues(): readonly string[] {
    return this.#state.queues;
  }

  /** Those of them that no worker serves. */
  get unserved(): readonly string[] {
    return this.#state.unserved;
  }

  /** The queues of all approved tools. */
  get approvedQueues(): readonly string[] {
    return this.#approved.queues;
  }

  /** What all gateways say of the workers that are connected to them. */
  get connected(): readonly ConnectedDomain[] {
    return this.#state.connected;
  }

  /** Domains that have or had a worker in the last days, and when one was last connected: the latest come first. */
  async seen(): Promise<readonly SeenDomain[]> {
    return this.#lastSeen.list(this.#parts.now());
  }

  /** Before a call of a queue is accepted. @returns null where nothing has to be done for it */
  accepting(queue: string): Promise<void> | null {
    return this.#state.accepting(queue);
  }

  /** Says that workers of this gateway serve these. */
  async announce(served: readonly ServedName[]): Promise<void> {
    await this.#presence.announce(served, this.#parts.now() + graceMs);
  }

  /** Says what is connected to this gateway, again. */
  async tellAll(domains: readonly ConnectedDomain[]): Promise<void> {
    await this.announce(domains.flatMap(servedIn));
    await this.#presence.tell(this.#gatewayId, domains, this.#parts.now() + toldMs);
    await this.#lastSeen.note(domains, this.#parts.now());
  }

  /** Says at once what is connected to this gateway of a queue; null for nothing any more. */
  async tell(queue: string, domain: ConnectedDomain | null): Promise<void> {
    if (domain) await this.tellAll([domain]);
    else await this.#untell(queue);
    const told = domain ? JSON.stringify(domain.programs) : '';
    const isNews = told !== (this.#told.get(queue) ?? '');
    if (domain) this.#told.set(queue, told);
    else this.#told.delete(queue);
    if (isNews) await this.#presenceChanged();
  }

  async #untell(queue: string): Promise<void> {
    await this.#presence.untell(this.#gatewayId, queue);
    const known = this.connected.find((one) => one.queue === queue);
    if (known) await this.#lastSeen.note([known], this.#parts.now());
  }

  /** After a change of what is approved: once it returns, every gateway knows of it that answers within a second. */
  async changed(): Promise<void> {
    await this.refresh();
    await this.#notices.tell();
  }

  /** Workers come and go: no gateway waits until the others know of it. */
  async #presenceChanged(): Promise<void> {
    await this.refresh(presence);
    await this.#parts.redis.publish(this.#parts.keys.changesOf('served'), presence).catch(this.#parts.onFault);
  }

  /** Reads the stores now. One read serves all who ask while it has not begun. @returns false when they are away */
  async refresh(what: Look = 'changes'): Promise<boolean> {
    this.#wanted = Math.max(this.#wanted, looks.indexOf(what));
    // A read that runs already may have missed what the asker knows of.
    await this.#reading;
    this.#reading ??= this.#readWanted();
    return this.#reading;
  }

  async #look(): Promise<void> {
    this.#looks += 1;
    await this.refresh(this.#looks % allEvery === 0 ? 'all' : this.#looks % storeEvery === 0 ? 'changes' : 'presence');
  }

  async #readWanted(): Promise<boolean> {
    const what = looks[this.#wanted] ?? 'all';
    this.#wanted = 0;
    return this.#read(what).finally(() => (this.#reading = null));
  }

  async #read(what: Look): Promise<boolean> {
    const { catalog, tools, onFault } = this.#parts;
    const tenants = new Set<string>();
    let [isRead, areQueuesOthers] = [false, false];
    try {
      if (what === 'all') await tools.forgetPending();
      if (what !== 'presence') for (const tenant of await this.#approved.read(what === 'all')) tenants.add(tenant);
      const seen = await this.#state.look();
      ({ areQueuesOthers } = seen);
      for (const field of seen.changed) {
        const version = this.#approved.of(field);
        if (version) tenants.add(version.tenantId);
      }
      isRead = true;
    } catch (error) {
      onFault(error);
    }
    // From time to time also without a change: a call that ended late may have opened a queue again.
    if (areQueuesOthers || what === 'all') for (const listener of this.#queueListeners) listener();
    for (const tenant of tenants) catalog.replaceServed(tenant, this.#contractsOf(tenant));
    if (tenants.size > 0) for (const listener of this.#listeners) listener(tenants);
    return isRead;
  }

  #contractsOf(tenant: string): (() => readonly ToolContract[]) | null {
    if (this.#approved.ofTenant(tenant).size === 0) return null;
    return () => this.#approved.contractsOf(tenant, (field) => this.#state.isServed(field));
  }
}

import { Injectable } from '@nestjs/common';
import type { OwnDomain, OwnQueueState } from '#lib/contracts';
import { partitionOf, type ConnectedDomain, type InvocationStore, type SeenDomain } from '#lib/transport';
import { boundedDomain } from '../bounded-domain.js';
import { shownDepth } from './shown-depth.js';
import { Stores } from '../stores.js';

/** Domains that are told by name. */
const mostDomains = 100;
/** What several people look at is read once in this time, in ms. */
const freshMs = 1_000;

/** The domains that tenants serve from workers of their own, as operators see them: over all gateways. */
@Injectable()
export class OwnDomains {
  readonly #read = new Map<string, { readonly at: number; readonly value: Promise<readonly SeenDomain[]> }>();
  readonly #depths = new Map<string, { readonly at: number; readonly value: ReturnType<InvocationStore['open']['depth']> }>();

  constructor(private readonly stores: Stores) {}

  /** Domains that a worker is connected to, and workers. */
  get counts(): { readonly domains: number; readonly workers: number } {
    const { connected } = this.stores.servedDirectory;
    return {
      domains: new Set(connected.map(({ queue }) => queue)).size,
      workers: connected.reduce((sum, domain) => sum + domain.connected, 0),
    };
  }

  /** @param tenantId of this tenant alone */
  async list(tenantId?: string): Promise<OwnDomain[]> {
    return Promise.all(
      (await this.#domains(tenantId)).map(async ({ tenant, domain, queue, parts, unservedSince }) => {
        const workers = parts.flatMap((part) => part.workers).map(({ key, tools: _tools, ...worker }) => ({ ...worker, key_id: key }));
        const tools = [...new Set(parts.flatMap((part) => part.tools))].toSorted();
        const depth = shownDepth([await this.#depth(queue)]);
        return { tenant_id: tenant, domain, unserved_since: unservedSince, tools, connected: sumOf(parts), workers, ...depth };
      }),
    );
  }

  async queues(): Promise<OwnQueueState[]> {
    return Promise.all(
      (await this.#domains()).map(async ({ tenant, domain, queue, parts, unservedSince }) => {
        const { maxOpen: limit } = boundedDomain(queue, this.stores.settings);
        const depth = shownDepth([await this.#depth(queue)]);
        return { tenant_id: tenant, domain, unserved_since: unservedSince, limit, workers: sumOf(parts), ...depth };
      }),
    );
  }

  async #domains(tenantId?: string): Promise<readonly ShownDomain[]> {
    const isWanted = ({ tenant }: { readonly tenant: string }): boolean => tenantId === undefined || tenant === tenantId;
    const connected = Map.groupBy(this.stores.servedDirectory.connected.filter(isWanted), ({ queue }) => queue);
    const served = [...connected.values()].flatMap((parts): ShownDomain[] => {
      const [first] = parts;
      return first ? [{ tenant: first.tenant, domain: first.domain, queue: first.queue, parts, unservedSince: null }] : [];
    });
    const left = (await this.#seen())
      .filter((one) => isWanted(one) && !connected.has(one.queue))
      .map(({ at, ...names }): ShownDomain => ({ ...names, parts: [], unservedSince: new Date(at).toISOString() }));
    return [...left.toSorted(byName), ...served.toSorted(byName)].slice(0, mostDomains);
  }

  async #seen(): Promise<readonly SeenDomain[]> {
    return readOnce(this.#read, 'seen', () => this.stores.servedDirectory.seen());
  }

  async #depth(queue: string): ReturnType<InvocationStore['open']['depth']> {
    return readOnce(this.#depths, queue, () => this.stores.store.open.depth(partitionOf(queue)));
  }
}

interface ShownDomain {
  readonly tenant: string;
  readonly domain: string;
  readonly queue: string;
  /** What each gateway says of it. */
  readonly parts: readonly ConnectedDomain[];
  readonly unservedSince: string | null;
}

function byName(a: ShownDomain, b: ShownDomain): number {
  return a.tenant.localeCompare(b.tenant) || a.domain.localeCompare(b.domain);
}

function sumOf(parts: readonly ConnectedDomain[]): number {
  return parts.reduce((sum, { connected }) => sum + connected, 0);
}

/** What was read in the last second, or is read now, by name. */
function readOnce<Value>(
  known: Map<string, { readonly at: number; readonly value: Promise<Value> }>,
  name: string,
  read: () => Promise<Value>,
): Promise<Value> {
  const now = performance.now();
  const before = known.get(name);
  if (before && now - before.at < freshMs) return before.value;
  const value = read();
  known.set(name, { at: now, value });
  for (const [other, { at }] of known) if (now - at > freshMs) known.delete(other);
  return value;
}

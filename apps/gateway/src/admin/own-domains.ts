import type { OwnDomain, OwnQueueState } from '#lib/contracts';
import { partitionOf, type ConnectedDomain, type InvocationStore } from '#lib/transport';
import { boundedDomain, type AdmissionSettings } from '../invocations/admission.js';

/** Domains that are told by name. */
const mostDomains = 100;

interface OwnDomainsParts {
  readonly served: { readonly connected: readonly ConnectedDomain[] };
  readonly store: { readonly open: Pick<InvocationStore['open'], 'count'> };
  readonly bounds: AdmissionSettings;
}

/** The domains that tenants serve from workers of their own, as operators see them: over all gateways. */
export class OwnDomains {
  readonly #parts: OwnDomainsParts;

  constructor(parts: OwnDomainsParts) {
    this.#parts = parts;
  }

  /** Domains that a worker is connected to, and workers. */
  get counts(): { readonly domains: number; readonly workers: number } {
    const { connected } = this.#parts.served;
    return {
      domains: new Set(connected.map(({ queue }) => queue)).size,
      workers: connected.reduce((sum, domain) => sum + domain.connected, 0),
    };
  }

  /** @param tenantId of this tenant alone */
  list(tenantId?: string): OwnDomain[] {
    return this.#domains(tenantId).map(({ tenant, domain, parts }) => {
      const workers = parts.flatMap((part) => part.workers).map(({ key, tools: _tools, ...worker }) => ({ ...worker, key_id: key }));
      const tools = [...new Set(parts.flatMap((part) => part.tools))].toSorted();
      return { tenant_id: tenant, domain, tools, connected: sumOf(parts), workers };
    });
  }

  async queues(): Promise<OwnQueueState[]> {
    const { store, bounds } = this.#parts;
    return Promise.all(
      this.#domains().map(async ({ tenant, domain, queue, parts }) => {
        const open = await store.open.count(partitionOf(queue));
        return { tenant_id: tenant, domain, open, limit: boundedDomain(queue, bounds).maxOpen, workers: sumOf(parts) };
      }),
    );
  }

  #domains(tenantId?: string): readonly SeenDomain[] {
    const wanted = this.#parts.served.connected.filter(({ tenant }) => tenantId === undefined || tenant === tenantId);
    return [...Map.groupBy(wanted, ({ queue }) => queue).values()]
      .flatMap((parts): SeenDomain[] => {
        const [first] = parts;
        return first ? [{ tenant: first.tenant, domain: first.domain, queue: first.queue, parts }] : [];
      })
      .toSorted((a, b) => a.tenant.localeCompare(b.tenant) || a.domain.localeCompare(b.domain))
      .slice(0, mostDomains);
  }
}

interface SeenDomain {
  readonly tenant: string;
  readonly domain: string;
  readonly queue: string;
  /** What each gateway says of it. */
  readonly parts: readonly ConnectedDomain[];
}

function sumOf(parts: readonly ConnectedDomain[]): number {
  return parts.reduce((sum, { connected }) => sum + connected, 0);
}

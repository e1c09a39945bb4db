import { AsyncLocalStorage } from 'node:async_hooks';
import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';

type Hears = (event: ServerEvent) => void;

/**
 * Carries changes to those who listen, and a change of one tenant's tools to the listeners of that tenant alone: others would read their lists
 * again for nothing, and learn when it changes its tools. The SDK names no tenant, so a listener has that of the request in which it came.
 */
export class TenantBus implements ServerEventBus {
  readonly #listeners = new Map<Hears, string | undefined>();
  readonly #tenant = new AsyncLocalStorage<string>();
  #told: ReadonlySet<string> | null = null;

  /** Runs what serves a request of a tenant. */
  within<Result>(tenantId: string, serve: () => Result): Result {
    return this.#tenant.run(tenantId, serve);
  }

  /** Runs what publishes, at once, for these tenants alone. */
  tell(tenants: ReadonlySet<string>, publish: () => void): void {
    this.#told = tenants;
    try {
      publish();
    } finally {
      this.#told = null;
    }
  }

  publish(event: ServerEvent): void {
    for (const [hears, tenant] of this.#listeners) {
      if (this.#told && (tenant === undefined || !this.#told.has(tenant))) continue;
      try {
        hears(event);
      } catch {
        // One that cannot be told is gone; the others hear it.
      }
    }
  }

  subscribe(hears: Hears): () => void {
    this.#listeners.set(hears, this.#tenant.getStore());
    return () => void this.#listeners.delete(hears);
  }
}

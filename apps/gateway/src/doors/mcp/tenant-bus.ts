import { AsyncLocalStorage } from 'node:async_hooks';
import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';
import type { Listening } from './resource-watch.js';

type Hears = (event: ServerEvent) => void;

/** Who listens. */
export interface Listener {
  readonly tenantId: string;
  /** To resources; null for lists alone. */
  readonly resources: Listening | null;
}

/**
 * Carries changes to those who listen, and a change of one tenant's tools to the listeners of that tenant alone: others would read their lists
 * again for nothing, and learn when it changes its tools. The SDK names no tenant, so a listener has that of the request in which it came.
 */
export class TenantBus implements ServerEventBus {
  readonly #listeners = new Map<Hears, Listener | undefined>();
  readonly #listener = new AsyncLocalStorage<Listener>();
  #told: ReadonlySet<string> | null = null;

  /** Runs what serves a request of a tenant. */
  within<Result>(listener: Listener, serve: () => Result): Result {
    return this.#listener.run(listener, serve);
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
    for (const [hears, listener] of this.#listeners) {
      if (this.#told && (listener === undefined || !this.#told.has(listener.tenantId))) continue;
      say(hears, event);
    }
  }

  /** Tells those who listen to resources and are meant. */
  async tellOf(event: ServerEvent, isMeant: (listening: Listening) => Promise<boolean>): Promise<void> {
    for (const [hears, listener] of this.#listeners) if (listener?.resources && (await isMeant(listener.resources))) say(hears, event);
  }

  subscribe(hears: Hears): () => void {
    this.#listeners.set(hears, this.#listener.getStore());
    return () => void this.#listeners.delete(hears);
  }
}

function say(hears: Hears, event: ServerEvent): void {
  try {
    hears(event);
  } catch {
    // One that cannot be told is gone; the others hear it.
  }
}

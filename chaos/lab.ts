// The system that faults are injected into: the product with the lab's tools, two gateways and two workers, on private stores.
import type { AppProcess, System } from '#lib/testing';
import { startStores, type PrivateStore } from '../scripts/provision/private-stores.js';
import { startLabSystem } from '../test/e2e/lab-system.js';
import type { Ledger } from '../test/lab/ledger-server.js';

export interface Lab extends AsyncDisposable {
  readonly system: System;
  readonly ledger: Ledger;
  readonly redis: PrivateStore;
  readonly apiKey: string;
  /** Gateways and workers. */
  readonly apps: readonly AppProcess[];
}

export async function startLab(): Promise<Lab> {
  await using started = new AsyncDisposableStack();
  const stores = started.use(await startStores());
  // Processes drain as they do in production.
  const env = { DRAIN_MS: '10000' };
  const { system, ledger, ...lab } = await startLabSystem({ stores, gateways: 2, workers: 2, env });
  started.use(lab);
  const apiKey = await system.tenant.key();
  const owned = started.move();
  return {
    system,
    ledger,
    redis: stores.redis,
    apiKey,
    apps: [...system.gateways, ...system.workers],
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

// The gateway and some Stripe workers, started as in production, on private stores, with a slow Stripe sandbox.
import type { StripeSandbox } from '../../apps/stripe-sandbox/src/sandbox.js';
import { startStores } from '../../scripts/provision/private-stores.js';
import { startStripeSystem } from '../../test/e2e/stripe-system.js';
import { productionEnv } from '../system/production.js';

export interface StripeBench extends AsyncDisposable {
  readonly url: string;
  readonly apiKey: string;
  readonly sandbox: StripeSandbox;
  /** By name; the workers are one. */
  readonly pids: Readonly<Record<'gateway' | 'workers' | 'redis' | 'postgres', readonly number[]>>;
}

export async function startStripeBench({ workers, places }: { workers: number; places: number }): Promise<StripeBench> {
  await using started = new AsyncDisposableStack();
  const stores = started.use(await startStores());
  const { system, sandbox } = started.use(
    await startStripeSystem({
      stores,
      workers,
      env: productionEnv,
      workerEnv: { STRIPE_TIMEOUT_MS: '4000', WORKER_CONCURRENCY: String(places) },
    }),
  );
  const apiKey = await system.tenant.key();
  const pids = {
    gateway: [system.gateway.pid ?? 0],
    workers: system.workers.map(({ pid }) => pid ?? 0),
    redis: [stores.redis.pid ?? 0],
    postgres: [stores.postgres.pid ?? 0],
  };
  const owned = started.move();
  return { url: system.gateway.url, apiKey, sandbox, pids, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

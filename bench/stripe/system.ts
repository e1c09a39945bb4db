// The gateway and so many Stripe workers as they are started in earnest, on private stores, and a Stripe that takes its time.
import { randomBytes } from 'node:crypto';
import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StripeSandbox } from '../../apps/stripe-sandbox/src/sandbox.js';
import { appSpec, gateway } from '../../scripts/apps.js';
import { ManagedProcess } from '../../scripts/managed-process.js';
import { migrate } from '../../scripts/provision/migrate.js';
import { pickPort } from '../../scripts/provision/ports.js';
import { startPostgres, startRedis } from '../../scripts/provision/private-stores.js';
import { ensureKeys, seedDemoData } from '../../scripts/provision/seed.js';

const host = '127.0.0.1';

export interface StripeBench extends AsyncDisposable {
  readonly url: string;
  readonly apiKey: string;
  readonly sandbox: StripeSandbox;
  /** By name; the workers are one. */
  readonly pids: Readonly<Record<'gateway' | 'workers' | 'redis' | 'postgres', readonly number[]>>;
}

export async function startStripeBench({ workers, places }: { workers: number; places: number }): Promise<StripeBench> {
  await using started = new AsyncDisposableStack();
  const dir = started.use(mkdtempDisposableSync(join(tmpdir(), 'invoq-bench-stripe-')));
  const redis = started.use(await startRedis());
  const postgres = started.use(await startPostgres());
  const sandbox = started.use(await StripeSandbox.start());
  await migrate(postgres.url);
  await seedDemoData(postgres.url);
  const keys = await ensureKeys(postgres.url, { admin: undefined, user: undefined });
  const env = {
    NODE_ENV: 'production',
    REDIS_URL: redis.url,
    DATABASE_URL: postgres.url,
    SEALING_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    STRIPE_API_BASE: sandbox.url,
    STRIPE_SECRET_KEY: 'rk_test_bench',
    STRIPE_TIMEOUT_MS: '4000',
    WORKER_CONCURRENCY: String(places),
    RATE_LIMIT_PRO: '1000000',
    TOOL_QUOTA_PRO: '1000000000',
    HOST: host,
  };
  const start = async (name: string, number: number, portVariable: string) => {
    const port = await pickPort();
    const logFile = join(dir.path, `${name}-${number}.log`);
    const managed = new ManagedProcess(appSpec(name, { port, host, logFile, env: { ...env, [portVariable]: String(port) } }));
    started.defer(() => managed.stop());
    await managed.start();
    return { url: `http://${host}:${port}`, pid: managed.pid ?? 0 };
  };
  const door = await start(gateway, 1, 'PORT');
  const running = await Promise.all(Array.from({ length: workers }, (_, index) => start('stripe-worker', index + 1, 'HEALTH_PORT')));
  const pids = { gateway: [door.pid], workers: running.map(({ pid }) => pid), redis: [redis.pid ?? 0], postgres: [postgres.pid ?? 0] };
  const owned = started.move();
  return { url: door.url, apiKey: keys.user, sandbox, pids, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

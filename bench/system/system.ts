// Everything that is measured, as processes of its own on private stores: our gateway and worker as they are started in earnest,
// and the peers that they are compared with.
import { randomBytes } from 'node:crypto';
import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { appSpec, gateway } from '../../scripts/apps.js';
import { ManagedProcess, type ProcessSpec } from '../../scripts/managed-process.js';
import { migrate } from '../../scripts/provision/migrate.js';
import { pickPort } from '../../scripts/provision/ports.js';
import { startPostgres, startRedis } from '../../scripts/provision/private-stores.js';
import { ensureKeys, seedDemoData } from '../../scripts/provision/seed.js';
import type { Target } from '../load/call.js';
import { ForkedProcess } from './forked-process.js';

const worker = 'profile-worker';
const host = '127.0.0.1';
const pollMs = 10;

export interface SystemProcess {
  readonly name: string;
  readonly pid: number;
  /** From its spawn to its first good answer; null for peers. */
  readonly startMs: number | null;
}

export interface System {
  readonly target: Target;
  readonly workerHealthUrl: string;
  readonly processes: readonly SystemProcess[];
}

/** @param wrap changes how our own processes are started, for profiling */
export async function startSystem(owner: AsyncDisposableStack, wrap: (spec: ProcessSpec) => ProcessSpec = (spec) => spec): Promise<System> {
  const dir = owner.use(mkdtempDisposableSync(join(tmpdir(), 'invoq-bench-')));
  const [redis, redisMs] = await timed(() => startRedis());
  owner.use(redis);
  const [postgres, postgresMs] = await timed(() => startPostgres());
  owner.use(postgres);
  await migrate(postgres.url);
  await seedDemoData(postgres.url);
  const keys = await ensureKeys(postgres.url, { admin: undefined, user: undefined });

  const env = {
    NODE_ENV: 'production',
    REDIS_URL: redis.url,
    DATABASE_URL: postgres.url,
    SEALING_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    // Counted as ever, and never reached: one key makes all calls.
    RATE_LIMIT_PRO: '1000000',
    TOOL_QUOTA_PRO: '1000000000',
  };
  const startApp = async (name: string, portVariable: string) => {
    const port = await pickPort();
    const spec = appSpec(name, {
      port,
      host,
      logFile: join(dir.path, `${name}.log`),
      env: { ...env, HOST: host, [portVariable]: String(port) },
    });
    const managed = new ManagedProcess(wrap(spec));
    owner.defer(() => managed.stop());
    const [, startMs] = await timed(() => startFinely(managed));
    return { url: `http://${host}:${port}`, process: { name, pid: managed.pid ?? 0, startMs } };
  };
  const ourWorker = await startApp(worker, 'HEALTH_PORT');
  const ourGateway = await startApp(gateway, 'PORT');

  const peerEnv = { BENCH_REDIS_URL: redis.url };
  const echo = await ForkedProcess.start({ program: 'peer-fastify.js' }, z.object({ url: z.string() }));
  owner.use(echo.process);
  const bullmq = await ForkedProcess.start({ program: 'peer-bullmq.js', env: peerEnv }, z.object({}));
  owner.use(bullmq.process);
  const list = await ForkedProcess.start({ program: 'peer-list.js', env: peerEnv }, z.object({}));
  owner.use(list.process);

  return {
    target: { redisUrl: redis.url, echoUrl: echo.facts.url, gatewayUrl: ourGateway.url, apiKey: keys.user },
    workerHealthUrl: ourWorker.url,
    processes: [
      ourGateway.process,
      ourWorker.process,
      { name: 'redis', pid: redis.pid ?? 0, startMs: redisMs },
      { name: 'postgres (PGlite)', pid: postgres.pid ?? 0, startMs: postgresMs },
      { name: 'Fastify route', pid: echo.process.pid, startMs: null },
      { name: 'BullMQ worker', pid: bullmq.process.pid, startMs: null },
      { name: 'list responder', pid: list.process.pid, startMs: null },
    ],
  };
}

/** Asks more often than a supervisor would: what is timed is the process, not the asking. */
async function startFinely(managed: ManagedProcess): Promise<void> {
  managed.launch();
  while (!(await managed.spec.isReady())) {
    // One that ended says why.
    if (!managed.isRunning()) await managed.ready();
    await sleep(pollMs);
  }
}

async function timed<Result>(work: () => Promise<Result>): Promise<readonly [Result, number]> {
  const start = performance.now();
  const result = await work();
  return [result, performance.now() - start];
}

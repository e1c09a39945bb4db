// Everything that is measured, each in its own process, on private stores: our gateway and worker started as in production,
// and the peers that they are compared with.
import { Redis } from 'ioredis';
import { z } from 'zod';
import { startSystem as startProduct, type AppProcess, type SystemOptions } from '#lib/testing';
import { startStores } from '../../scripts/provision/private-stores.js';
import type { Target } from '../load/call.js';
import { ForkedProcess } from './forked-process.js';
import type { Fsync } from './options.js';
import { productionEnv } from './production.js';
import type { Product, SystemProcess } from './product.js';
import { startWhole } from './whole.js';

export interface System {
  readonly target: Target;
  readonly workerHealthUrl: string;
  readonly processes: readonly SystemProcess[];
}

interface StartOptions {
  /** Default: everysec. */
  readonly fsync?: Fsync;
  /** Everything that `npm start` runs, instead of one gateway and one worker in the production shape. */
  readonly whole?: boolean;
  /** Further options of Node for our processes, for profiling. */
  readonly nodeOptions?: SystemOptions['nodeOptions'];
}

export async function startSystem(
  owner: AsyncDisposableStack,
  { whole = false, nodeOptions, fsync = 'everysec' }: StartOptions = {},
): Promise<System> {
  const { redisUrl, gatewayUrl, apiKey, workerHealthUrl, processes } = await (whole ? startWhole(owner) : startPair(owner, nodeOptions));
  await syncAs(redisUrl, fsync);
  const peerEnv = { BENCH_REDIS_URL: redisUrl };
  const echo = await ForkedProcess.start({ program: 'peer-fastify.js' }, z.object({ url: z.string() }));
  owner.use(echo.process);
  const bullmq = await ForkedProcess.start({ program: 'peer-bullmq.js', env: peerEnv }, z.object({}));
  owner.use(bullmq.process);
  const list = await ForkedProcess.start({ program: 'peer-list.js', env: peerEnv }, z.object({}));
  owner.use(list.process);

  const peer = (name: string, pid: number | undefined): SystemProcess => ({ name, pid: pid ?? 0, startMs: null });
  return {
    target: { redisUrl, echoUrl: echo.facts.url, gatewayUrl, apiKey },
    workerHealthUrl,
    processes: [
      ...processes,
      peer('Fastify route', echo.process.pid),
      peer('BullMQ worker', bullmq.process.pid),
      peer('list responder', list.process.pid),
    ],
  };
}

async function syncAs(redisUrl: string, fsync: Fsync): Promise<void> {
  const redis = new Redis(redisUrl);
  await redis.config('SET', 'appendfsync', fsync);
  redis.disconnect();
}

/** A gateway and a worker, as in production, on private stores. */
async function startPair(owner: AsyncDisposableStack, nodeOptions: SystemOptions['nodeOptions']): Promise<Product> {
  const stores = owner.use(await startStores());
  const product = owner.use(await startProduct({ stores, env: productionEnv, ...(nodeOptions && { nodeOptions }) }));
  const { gateway, worker } = product;
  const own = (name: string, { pid, startMs }: AppProcess): SystemProcess => ({ name, pid: pid ?? 0, startMs });
  const store = (name: string, { pid }: { readonly pid?: number | undefined }): SystemProcess => ({ name, pid: pid ?? 0, startMs: null });
  return {
    redisUrl: stores.redisUrl,
    gatewayUrl: gateway.url,
    apiKey: await product.tenant.key(),
    workerHealthUrl: worker.url,
    processes: [
      own('gateway', gateway),
      own('profile-worker', worker),
      store('redis', stores.redis),
      store('postgres (PGlite)', stores.postgres),
    ],
  };
}

// The whole product as `npm start` runs it: all workers in one process, the stand-ins of services, demo data, in a folder of its own.
import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { LocalProduct } from '../../scripts/local-run.js';
import { pickPort } from '../../scripts/provision/ports.js';
import { limitsNeverReached } from './production.js';
import type { Product } from './product.js';

const runningShape = z.array(z.object({ name: z.string(), pid: z.number() }));

const firstPort = 3_300;

export async function startWhole(owner: AsyncDisposableStack): Promise<Product> {
  const dir = owner.use(mkdtempDisposableSync(join(tmpdir(), 'invoq-bench-')));
  Object.assign(process.env, limitsNeverReached, { INVOQ_DATA_DIR: dir.path, PORT: String(await pickPort(firstPort)) });
  const product = owner.adopt(new LocalProduct('together'), (started) => started.stop());
  const { stores, keys, url, workers } = await product.start();
  const running = runningShape.parse(product.dataDir.readJson('processes.json'));
  return {
    redisUrl: stores.redisUrl,
    gatewayUrl: url,
    apiKey: keys.user,
    workerHealthUrl: workers.get('profile-worker') ?? '',
    processes: running.map(({ name, pid }) => ({ name, pid, startMs: null })),
  };
}

// The processes of a chat as they are started in earnest, on private stores.
import { randomBytes } from 'node:crypto';
import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appSpec, gateway } from '../../scripts/apps.js';
import { ManagedProcess } from '../../scripts/managed-process.js';
import { migrate } from '../../scripts/provision/migrate.js';
import { pickPort } from '../../scripts/provision/ports.js';
import { startPostgres, startRedis } from '../../scripts/provision/private-stores.js';
import { ensureKeys, seedDemoData } from '../../scripts/provision/seed.js';
import { importStarterKnowledge } from '../../scripts/provision/starter-knowledge.js';

const host = '127.0.0.1';

export interface ChatBench extends AsyncDisposable {
  readonly url: string;
  /** Of a caller whose chats are not limited. */
  readonly apiKey: string;
  readonly gatewayPid: number;
  readonly agentPid: number;
}

interface ChatBenchOptions {
  readonly workers: readonly string[];
  readonly withKnowledge: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export async function startChatBench({ workers, withKnowledge, env: own }: ChatBenchOptions): Promise<ChatBench> {
  await using started = new AsyncDisposableStack();
  const dir = started.use(mkdtempDisposableSync(join(tmpdir(), 'invoq-bench-agent-')));
  const redis = started.use(await startRedis());
  const postgres = started.use(await startPostgres());
  await migrate(postgres.url);
  await seedDemoData(postgres.url);
  if (withKnowledge) await importStarterKnowledge(postgres.url);
  const keys = await ensureKeys(postgres.url, { admin: undefined, user: undefined });
  const port = await pickPort();
  const env = {
    NODE_ENV: 'production',
    REDIS_URL: redis.url,
    DATABASE_URL: postgres.url,
    SEALING_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    INVOQ_URL: `http://${host}:${port}`,
    HOST: host,
    ...own,
  };
  const start = async (name: string, portVariable: string, at: number) => {
    const logFile = join(dir.path, `${name}.log`);
    const managed = new ManagedProcess(appSpec(name, { port: at, host, logFile, env: { ...env, [portVariable]: String(at) } }));
    started.defer(() => managed.stop());
    await managed.start();
    return managed.pid ?? 0;
  };
  const gatewayPid = await start(gateway, 'PORT', port);
  for (const name of workers) await start(name, 'HEALTH_PORT', await pickPort());
  const agentPid = await start('agent-worker', 'HEALTH_PORT', await pickPort());
  const owned = started.move();
  return { url: env.INVOQ_URL, apiKey: keys.admin, gatewayPid, agentPid, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

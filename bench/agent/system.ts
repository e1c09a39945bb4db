// The processes of a chat, started as in production, on private stores.
import { startSystem } from '#lib/testing';
import { startStores } from '../../scripts/provision/private-stores.js';
import { importStarterKnowledge } from '../../scripts/provision/starter-knowledge.js';
import { productionEnv } from '../system/production.js';

export interface ChatBench extends AsyncDisposable {
  readonly url: string;
  /** Of a caller whose chats are not limited. */
  readonly apiKey: string;
  readonly gatewayPid: number;
  readonly agentPid: number;
}

interface ChatBenchOptions {
  /** Besides the gateway, the profile worker and the agent worker. */
  readonly withKnowledge: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const mainOf = (name: string) => `dist/apps/${name}/src/main.js`;

export async function startChatBench({ withKnowledge, env }: ChatBenchOptions): Promise<ChatBench> {
  await using started = new AsyncDisposableStack();
  const stores = started.use(await startStores());
  if (withKnowledge) await importStarterKnowledge(stores.databaseUrl);
  const system = started.use(
    await startSystem({
      stores,
      env: { ...productionEnv, ...given(env) },
      more: [{ main: mainOf('agent-worker') }, ...(withKnowledge ? [{ main: mainOf('knowledge-worker') }] : [])],
    }),
  );
  const apiKey = await system.tenant.key({ userId: null, tier: 'vip', scopes: ['*'] });
  const owned = started.move();
  return {
    url: system.gateway.url,
    apiKey,
    gatewayPid: system.gateway.pid ?? 0,
    agentPid: system.more[0]?.pid ?? 0,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The settings that have a value. */
function given(env: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

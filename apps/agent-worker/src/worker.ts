import { tools } from '#lib/contracts';
import { ConversationStore } from '#lib/conversations';
import { createDatabase, startSweep } from '#lib/platform';
import type { WorkerDefinition } from '#lib/worker';
import type { AgentSettings } from './config.js';
import { createServices } from './create-services.js';
import type { AgentServices } from './services.js';
import * as handlers from './tools/index.js';

/** Hundreds of turns may begin at once: each waits for a connection instead of failing. */
const statementTimeoutMs = 15_000;
const dayMs = 86_400_000;

/** The worker of the domain `agent`. @param root the folder that holds `dist` and `node_modules` */
export function agentWorker(settings: AgentSettings, root: string): WorkerDefinition<AgentServices> {
  return {
    domain: 'agent',
    settings,
    contracts: tools,
    handlers: Object.values(handlers),
    open: (log, infrastructure) => {
      const { DATABASE_URL: url, DATABASE_POOL: poolSize } = settings;
      const database = createDatabase({ url, poolSize, name: 'agent-worker', statementTimeoutMs });
      const conversations = new ConversationStore(database);
      const sweepIdle = async (days: number) => {
        const removed = await conversations.removeIdle(new Date(Date.now() - days * dayMs));
        if (removed > 0) log.info({ event: 'conversations-swept', removed }, 'conversations older than CONVERSATION_DAYS removed');
      };
      const { CONVERSATION_DAYS: days } = settings;
      const sweeping = days === undefined ? undefined : startSweep('idle conversations', async () => sweepIdle(days), log);
      const services = createServices({ settings, database, infrastructure, root, log });
      return {
        questions: database,
        services,
        checks: { postgres: () => database.$queryRaw`SELECT 1` },
        close: async () => {
          services.codes.close();
          await sweeping?.stop();
          await database.$disconnect();
        },
      };
    },
  };
}

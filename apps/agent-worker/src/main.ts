import { tools } from '#lib/contracts';
import { createDatabase, settingsOrExit } from '#lib/platform';
import { startWorker } from '#lib/worker';
import { agentSettings } from './config.js';
import { createServices } from './create-services.js';
import * as handlers from './tools/index.js';

/** Hundreds of turns may begin at once: each waits for a connection instead of failing. */
const statementTimeoutMs = 15_000;
const settings = settingsOrExit(agentSettings);

await startWorker({
  domain: 'agent',
  settings,
  contracts: tools,
  handlers: Object.values(handlers),
  open: (log, infrastructure) => {
    const { DATABASE_URL: url, DATABASE_POOL: poolSize } = settings;
    const database = createDatabase({ url, poolSize, name: 'agent-worker', statementTimeoutMs });
    return {
      services: createServices({ settings, database, infrastructure, log }),
      checks: { postgres: () => database.$queryRaw`SELECT 1` },
      close: () => database.$disconnect(),
    };
  },
});

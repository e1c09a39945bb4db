import { resolve } from 'node:path';
import { tools } from '#lib/contracts';
import { ConversationStore } from '#lib/conversations';
import { createDatabase, settingsOrExit } from '#lib/platform';
import { SkillLibrary } from '#lib/skills';
import { QuotaTracker } from '#lib/transport';
import { startWorker } from '#lib/worker';
import { LocalTools } from './agent/local-tools.js';
import { agentSettings } from './config.js';
import { configureModel } from './model/configured-model.js';
import * as handlers from './tools/index.js';
import * as localHandlers from './tools/local.js';
import { GatewayClient } from './gateway-client.js';
import { guestTurnStore } from './turns/guest-turn-store.js';
import { Turns } from './turns/turns.js';
import { UserFacts } from './turns/user-facts.js';

/** Hundreds of turns may begin at once: each waits for its place at the database rather than fails. */
const statementTimeoutMs = 15_000;
const settings = settingsOrExit(agentSettings);

await startWorker({
  domain: 'agent',
  settings,
  contracts: tools,
  handlers: Object.values(handlers),
  open: (log, transport) => {
    const database = createDatabase({
      url: settings.DATABASE_URL,
      poolSize: settings.DATABASE_POOL,
      name: 'agent-worker',
      statementTimeoutMs,
    });
    const skills = new SkillLibrary({
      folders: [resolve(settings.SKILLS_DIR)],
      onFault: ({ folder, reason }) => log.warn({ event: 'skill-refused', folder, reason }, 'a skill is not loaded'),
    });
    const model = configureModel(settings);
    log.info({ event: 'model', provider: model.model.provider, model: model.model.modelId }, 'the model that answers');
    const gateway = new GatewayClient(settings.INVOQ_URL, log);
    const turns = new Turns({
      model,
      idleTimeoutMs: settings.MODEL_TIMEOUT_MS,
      historyTokens: settings.HISTORY_TOKENS,
      toolTimeoutMs: settings.TOOL_TIMEOUT_MS,
      skills,
      local: new LocalTools(Object.values(localHandlers), { skills }, log),
      gateway,
      sealer: transport.sealer,
      quota: new QuotaTracker({ ...transport, timeZone: settings.QUOTA_TZ }),
      users: new ConversationStore(database),
      guests: guestTurnStore(transport),
      userFacts: new UserFacts({ gateway, database, log }),
      log,
    });
    return {
      services: { skills, turns },
      checks: { postgres: () => database.$queryRaw`SELECT 1` },
      close: () => database.$disconnect(),
    };
  },
});

import { resolve } from 'node:path';
import { ConversationStore } from '#lib/conversations';
import type { Database, Logger } from '#lib/platform';
import { SkillLibrary } from '#lib/skills';
import { mintTurnToken, QuotaTracker } from '#lib/transport';
import type { WorkerInfrastructure } from '#lib/worker';
import { LocalTools } from './agent/local-tools.js';
import { CodeRunner } from './code/code-runner.js';
import type { AgentSettings } from './config.js';
import { GatewayClient } from './gateway-client.js';
import { configureModel } from './model/configured-model.js';
import { Pace } from './pace.js';
import type { LocalServices } from './local-services.js';
import type { AgentServices } from './services.js';
import * as localHandlers from './tools/local.js';
import { guestTurnStore } from './turns/guest-turn-store.js';
import { Turns } from './turns/turns.js';
import { UserFacts } from './turns/user-facts.js';

/** Longer than any of the agent's own tools may take, ms. */
const callTokenMs = 60_000;

interface ServiceParts {
  readonly settings: AgentSettings;
  readonly database: Database;
  readonly infrastructure: WorkerInfrastructure;
  /** The folder that holds `dist` and `node_modules`. */
  readonly root: string;
  readonly log: Logger;
}

/** Throws an Error that names a setting which the model needs and lacks. */
export function createServices({ settings, database, infrastructure, root, log }: ServiceParts): AgentServices {
  const skills = new SkillLibrary({
    folders: [resolve(settings.SKILLS_DIR)],
    onFault: ({ folder, reason }) => log.warn({ event: 'skill-refused', folder, reason }, 'a skill is not loaded'),
  });
  const pace = new Pace();
  const model = configureModel(settings, pace);
  log.info({ event: 'model', provider: model.model.provider, model: model.model.modelId }, 'the model that answers');
  const gateway = new GatewayClient(settings.INVOQ_URL, log);
  // A call that runs by itself has the authority of its caller while it runs, as a turn has.
  const authorityOf = ({ caller, effectKey: jobId, traceId }: Parameters<LocalServices['schedules']>[0]) => {
    const token = mintTurnToken(infrastructure.sealer, { jobId, caller, expiresAt: Date.now() + callTokenMs });
    return { token, traceId };
  };
  const schedules: LocalServices['schedules'] = (context) => gateway.schedules(authorityOf(context));
  const results: LocalServices['results'] = (context) => gateway.results(authorityOf(context), context.sessionId);
  const local = new LocalTools(
    Object.values(localHandlers),
    { skills, schedules, results },
    { gateway, reports: infrastructure.reports, log },
  );
  const turns = new Turns({
    model,
    pace,
    idleTimeoutMs: settings.MODEL_TIMEOUT_MS,
    historyTokens: settings.HISTORY_TOKENS,
    toolTimeoutMs: settings.TOOL_TIMEOUT_MS,
    resultCharacters: settings.RESULT_CHARACTERS,
    skills,
    local,
    gateway,
    sealer: infrastructure.sealer,
    quota: new QuotaTracker({ ...infrastructure, timeZone: settings.QUOTA_TZ }),
    users: new ConversationStore(database),
    guests: guestTurnStore(infrastructure),
    userFacts: new UserFacts({ gateway, database, log }),
    hasRecord: async (jobId) => (await infrastructure.store.readPlace(jobId)) !== null,
    log,
  });
  const codes = new CodeRunner({ root, gateway, sealer: infrastructure.sealer, toolTimeoutMs: settings.TOOL_TIMEOUT_MS });
  return { skills, schedules, results, turns, codes };
}

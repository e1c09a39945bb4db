// Apps of the product in the process of a test, by their built entries. They are made of the sources, each loaded when it is first started.
import '#telemetry';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { timeoutSettings, tools, withTimeouts, type ToolContract } from '#lib/contracts';
import { createLogger, readSettings } from '#lib/platform';
import type { StartInProcess } from '#lib/testing';
import type { WorkerDefinition } from '#lib/worker';

type App = Parameters<StartInProcess>[0];
type Start = (app: App) => Promise<NestFastifyApplication>;

const root = process.cwd();

async function gateway({ env, log }: App, contracts: readonly ToolContract[]): Promise<NestFastifyApplication> {
  const { gatewaySettings } = await import('../../apps/gateway/src/config.js');
  const { runGateway } = await import('../../apps/gateway/src/create-gateway.js');
  const settings = readSettings(gatewaySettings, env);
  return runGateway({ settings, contracts, log: createLogger('gateway', settings.LOG_LEVEL, log) });
}

async function worker<Services extends object>({ log }: App, definition: WorkerDefinition<Services>): Promise<NestFastifyApplication> {
  const { runWorker } = await import('#lib/worker');
  return runWorker({ ...definition, log: createLogger(`${definition.domain}-worker`, definition.settings.LOG_LEVEL, log) });
}

/** The product's tools with the time limits of its settings. */
const limited = ({ env }: App): readonly ToolContract[] => withTimeouts(tools, readSettings(timeoutSettings(tools), env));

const apps: Readonly<Record<string, Start>> = {
  'dist/apps/gateway/src/main.js': async (app) => gateway(app, limited(app)),
  'dist/test/lab/lab-gateway-main.js': async (app) => {
    const { labTools } = await import('../lab/contracts/index.js');
    return gateway(app, [...tools, ...labTools]);
  },
  'dist/test/lab/lab-worker-main.js': async (app) => {
    const { labSettings, labWorker } = await import('../lab/lab-worker.js');
    return worker(app, labWorker(readSettings(labSettings, app.env)));
  },
  'dist/apps/profile-worker/src/main.js': async (app) => {
    const { profileSettings } = await import('../../apps/profile-worker/src/config.js');
    const { profileWorker } = await import('../../apps/profile-worker/src/worker.js');
    return worker(app, profileWorker(readSettings(profileSettings, app.env)));
  },
  'dist/apps/agent-worker/src/main.js': async (app) => {
    const { agentSettings } = await import('../../apps/agent-worker/src/config.js');
    const { agentWorker } = await import('../../apps/agent-worker/src/worker.js');
    return worker(app, agentWorker(readSettings(agentSettings, app.env), root));
  },
  'dist/apps/knowledge-worker/src/main.js': async (app) => {
    const { knowledgeSettings } = await import('../../apps/knowledge-worker/src/config.js');
    const { knowledgeWorker } = await import('../../apps/knowledge-worker/src/worker.js');
    return worker(app, knowledgeWorker(readSettings(knowledgeSettings, app.env), root));
  },
  'dist/apps/memotree-worker/src/main.js': async (app) => {
    const { memotreeSettings } = await import('../../apps/memotree-worker/src/config.js');
    const { memotreeWorker } = await import('../../apps/memotree-worker/src/worker.js');
    return worker(app, memotreeWorker(readSettings(memotreeSettings, app.env), root));
  },
  'dist/apps/perception-worker/src/main.js': async (app) => {
    const { perceptionSettings } = await import('../../apps/perception-worker/src/config.js');
    const { perceptionWorker } = await import('../../apps/perception-worker/src/worker.js');
    return worker(app, perceptionWorker(readSettings(perceptionSettings, app.env), root));
  },
  'dist/apps/stripe-worker/src/main.js': async (app) => {
    const { stripeSettings } = await import('../../apps/stripe-worker/src/config.js');
    const { stripeWorker } = await import('../../apps/stripe-worker/src/worker.js');
    return worker(app, stripeWorker(readSettings(stripeSettings, app.env), limited(app)));
  },
};

/** An orderly stop ends after this time in any case, as a process ends. */
const closeMs = 3_000;

async function closeWithConnections(app: NestFastifyApplication): Promise<void> {
  const timer = setTimeout(() => app.getHttpAdapter().getInstance().server.closeAllConnections(), closeMs);
  await app.close();
  clearTimeout(timer);
}

/** Give it to `startSystem` where a test neither kills, pauses nor restarts a process. */
export const inProcess: StartInProcess = async (app) => {
  const start = apps[app.main];
  if (!start) throw new Error(`${app.main} has no form for the process of a test: see test/e2e/in-process.ts`);
  const started = await start(app);
  return { url: await started.getUrl(), close: async () => closeWithConnections(started) };
};

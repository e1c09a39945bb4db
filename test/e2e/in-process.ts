// Apps of the product in the process of a test, by their built entries. They are made of the sources, each loaded when it is first started.
import '#telemetry';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { timeoutSettings, tools, withTimeouts, type ToolContract } from '#lib/contracts';
import { createLogger, readSettings } from '#lib/platform';
import type { StartInProcess } from '#lib/testing';

type Environment = Parameters<StartInProcess>[1];
type Start = (env: Environment) => Promise<NestFastifyApplication>;

const root = process.cwd();

async function gateway(env: Environment, contracts: readonly ToolContract[]): Promise<NestFastifyApplication> {
  const { gatewaySettings } = await import('../../apps/gateway/src/config.js');
  const { runGateway } = await import('../../apps/gateway/src/create-gateway.js');
  return runGateway({ settings: readSettings(gatewaySettings, env), contracts, log: createLogger('gateway', 'silent') });
}

const apps: Readonly<Record<string, Start>> = {
  'dist/apps/gateway/src/main.js': async (env) => gateway(env, withTimeouts(tools, readSettings(timeoutSettings(tools), env))),
  'dist/test/lab/lab-gateway-main.js': async (env) => {
    const { labTools } = await import('../lab/contracts/index.js');
    return gateway(env, [...tools, ...labTools]);
  },
  'dist/test/lab/lab-worker-main.js': async (env) => {
    const { labSettings, labWorker } = await import('../lab/lab-worker.js');
    return (await workers()).runWorker(labWorker(readSettings(labSettings, env)));
  },
  'dist/apps/profile-worker/src/main.js': async (env) => {
    const { profileSettings } = await import('../../apps/profile-worker/src/config.js');
    const { profileWorker } = await import('../../apps/profile-worker/src/worker.js');
    return (await workers()).runWorker(profileWorker(readSettings(profileSettings, env)));
  },
  'dist/apps/agent-worker/src/main.js': async (env) => {
    const { agentSettings } = await import('../../apps/agent-worker/src/config.js');
    const { agentWorker } = await import('../../apps/agent-worker/src/worker.js');
    return (await workers()).runWorker(agentWorker(readSettings(agentSettings, env), root));
  },
  'dist/apps/knowledge-worker/src/main.js': async (env) => {
    const { knowledgeSettings } = await import('../../apps/knowledge-worker/src/config.js');
    const { knowledgeWorker } = await import('../../apps/knowledge-worker/src/worker.js');
    return (await workers()).runWorker(knowledgeWorker(readSettings(knowledgeSettings, env), root));
  },
  'dist/apps/memotree-worker/src/main.js': async (env) => {
    const { memotreeSettings } = await import('../../apps/memotree-worker/src/config.js');
    const { memotreeWorker } = await import('../../apps/memotree-worker/src/worker.js');
    return (await workers()).runWorker(memotreeWorker(readSettings(memotreeSettings, env), root));
  },
  'dist/apps/perception-worker/src/main.js': async (env) => {
    const { perceptionSettings } = await import('../../apps/perception-worker/src/config.js');
    const { perceptionWorker } = await import('../../apps/perception-worker/src/worker.js');
    return (await workers()).runWorker(perceptionWorker(readSettings(perceptionSettings, env), root));
  },
};

const workers = async () => import('#lib/worker');

/** Give it to `startSystem` where a test neither kills, pauses nor restarts a process, moves its clock, nor reads what it prints. */
export const inProcess: StartInProcess = async (main, env) => {
  const start = apps[main];
  if (!start) throw new Error(`${main} has no form for the process of a test: see test/e2e/in-process.ts`);
  const app = await start({ ...env, LOG_LEVEL: 'silent' });
  return { url: await app.getUrl(), close: () => app.close() };
};

import { modelFault } from '#lib/models';
import { settingsOrExit } from '#lib/platform';
import { startWorker } from '#lib/worker';
import { agentSettings } from './config.js';
import { agentWorker } from './worker.js';

// dist/apps/agent-worker/src → the folder that holds dist.
const root = new URL('../../../..', import.meta.url).pathname;

await startWorker(agentWorker(settingsOrExit(agentSettings, modelFault), root));

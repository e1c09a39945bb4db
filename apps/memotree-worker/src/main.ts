import { modelFault } from '#lib/models';
import { settingsOrExit } from '#lib/platform';
import { startWorker } from '#lib/worker';
import { memotreeSettings } from './config.js';
import { memotreeWorker } from './worker.js';

// dist/apps/memotree-worker/src → the folder that holds dist.
const root = new URL('../../../..', import.meta.url).pathname;

await startWorker(memotreeWorker(settingsOrExit(memotreeSettings, modelFault), root));

import { settingsOrExit } from '#lib/platform';
import { startWorker } from '#lib/worker';
import { perceptionSettings } from './config.js';
import { perceptionWorker } from './worker.js';

// dist/apps/perception-worker/src → the folder that holds dist.
const root = new URL('../../../..', import.meta.url).pathname;

await startWorker(perceptionWorker(settingsOrExit(perceptionSettings), root));

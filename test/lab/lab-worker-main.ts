import { settingsOrExit } from '#lib/platform';
import { startWorker } from '#lib/worker';
import { labSettings, labWorker } from './lab-worker.js';

await startWorker(labWorker(settingsOrExit(labSettings)));

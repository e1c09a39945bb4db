import { settingsOrExit } from '#lib/platform';
import { startWorker } from '#lib/worker';
import { profileSettings } from './config.js';
import { profileWorker } from './worker.js';

await startWorker(profileWorker(settingsOrExit(profileSettings)));

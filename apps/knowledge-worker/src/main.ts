import { settingsOrExit } from '#lib/platform';
import { startWorker } from '#lib/worker';
import { knowledgeSettings } from './config.js';
import { knowledgeWorker } from './worker.js';

// dist/apps/knowledge-worker/src → the folder that holds dist.
const root = new URL('../../../..', import.meta.url).pathname;

await startWorker(knowledgeWorker(settingsOrExit(knowledgeSettings), root));

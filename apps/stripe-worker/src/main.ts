import { timeoutSettings, tools, withTimeouts } from '#lib/contracts';
import { settingsOrExit } from '#lib/platform';
import { startWorker } from '#lib/worker';
import { stripeSettings } from './config.js';
import { stripeWorker } from './worker.js';

const contracts = withTimeouts(tools, settingsOrExit(timeoutSettings(tools)));
await startWorker(stripeWorker(settingsOrExit(stripeSettings), contracts));

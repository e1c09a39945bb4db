import { timeoutSettings, tools, withTimeouts } from '#lib/contracts';
import { settingsOrExit } from '#lib/platform';
import { gatewaySettings } from './config.js';
import { runGateway } from './run-gateway.js';

const contracts = withTimeouts(tools, settingsOrExit(timeoutSettings(tools)));

await runGateway({ settings: settingsOrExit(gatewaySettings), contracts });

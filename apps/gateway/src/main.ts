import { timeoutSettings, tools, withTimeouts } from '#lib/contracts';
import { settingsOrExit } from '#lib/platform';
import { gatewaySettings } from './config.js';
import { startGateway } from './create-gateway.js';

const contracts = withTimeouts(tools, settingsOrExit(timeoutSettings(tools)));

await startGateway({ settings: settingsOrExit(gatewaySettings), contracts });

import '#telemetry';
import { tools } from '#lib/contracts';
import { settingsOrExit } from '#lib/platform';
import { gatewaySettings } from './config.js';
import { runGateway } from './run-gateway.js';

await runGateway({ settings: settingsOrExit(gatewaySettings), contracts: tools });

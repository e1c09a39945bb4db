import { tools } from '#lib/contracts';
import { settingsOrExit } from '#lib/platform';
import { gatewaySettings } from '../../apps/gateway/src/config.js';
import { runGateway } from '../../apps/gateway/src/run-gateway.js';
import { labTools } from './contracts/index.js';

await runGateway({ settings: settingsOrExit(gatewaySettings), contracts: [...tools, ...labTools] });

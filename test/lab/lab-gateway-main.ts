import { tools } from '#lib/contracts';
import { settingsOrExit } from '#lib/platform';
import { gatewaySettings } from '../../apps/gateway/src/config.js';
import { startGateway } from '../../apps/gateway/src/create-gateway.js';
import { labTools } from './contracts/index.js';

await startGateway({ settings: settingsOrExit(gatewaySettings), contracts: [...tools, ...labTools] });

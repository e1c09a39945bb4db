import { tools } from '#lib/contracts';
import { settingsOrExit } from '#lib/platform';
import { gatewaySettings } from '../../apps/gateway/src/config.js';
import { startGateway } from '../../apps/gateway/src/create-gateway.js';
import { labTools } from './contracts/index.js';
import { mcpFixtures } from './mcp-fixtures.js';

await startGateway({ settings: settingsOrExit(gatewaySettings), contracts: [...tools, ...labTools], mcpExtensions: [mcpFixtures] });

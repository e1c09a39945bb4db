import { MCPClient } from 'mcp-use';
import { askAll, textOf } from './host.mjs';
import { headers, mcpUrl } from './task.mjs';

const client = new MCPClient({ mcpServers: { invoq: { url: mcpUrl, headers } } });
const session = await client.createSession('invoq');
await askAll(await session.listTools(), async (name, input) => textOf(await session.callTool(name, input)));
await client.closeAllSessions();
process.exit(0);

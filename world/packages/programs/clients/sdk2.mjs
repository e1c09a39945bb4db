import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { askAll, textOf } from './host.mjs';
import { headers, mcpUrl } from './task.mjs';

const client = new Client({ name: 'world', version: '1.0.0' });
await client.connect(new StreamableHTTPClientTransport(new URL(mcpUrl), { requestInit: { headers } }));
const { tools } = await client.listTools();
await askAll(tools, async (name, input) => textOf(await client.callTool({ name, arguments: input })));
await client.close();

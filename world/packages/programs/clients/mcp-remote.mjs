// As Claude Desktop starts it: a program that speaks stdio to the host, and HTTP to the product.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { askAll, textOf } from './host.mjs';
import { key, mcpUrl } from './task.mjs';

const args = [
  'node_modules/mcp-remote/dist/proxy.js',
  mcpUrl,
  '--header',
  'Authorization:${AUTH}',
  '--allow-http',
  '--transport',
  'http-only',
];
const client = new Client({ name: 'world', version: '1.0.0' });
await client.connect(new StdioClientTransport({ command: process.execPath, args, env: { ...process.env, AUTH: `Bearer ${key}` } }));
const { tools } = await client.listTools();
await askAll(tools, async (name, input) => textOf(await client.callTool({ name, arguments: input })));
await client.close();

// A server with sessions, as the examples of the TypeScript SDK 1 show it: a session that it does not know is answered with 400.
import { createServer } from 'node:http';
import { randomUUID } from 'node:crypto';
import { json } from 'node:stream/consumers';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';

const transports = new Map();

async function newTransport() {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => transports.set(id, transport),
  });
  const server = new McpServer({ name: 'sdk1', version: '1.0.0' });
  server.registerTool(
    'add',
    { description: 'Add two numbers.', inputSchema: { a: z.number(), b: z.number() }, outputSchema: { sum: z.number() } },
    ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }], structuredContent: { sum: a + b } }),
  );
  server.registerTool('now', { description: 'Tell the time.' }, () => ({ content: [{ type: 'text', text: new Date().toISOString() }] }));
  await server.connect(transport);
  return transport;
}

async function answer(request, response) {
  const body = request.method === 'POST' ? await json(request) : undefined;
  const known = transports.get(request.headers['mcp-session-id']);
  const transport = known ?? (isInitializeRequest(body) ? await newTransport() : null);
  if (transport) return transport.handleRequest(request, response, body);
  const error = { code: -32000, message: 'Bad Request: No valid session ID provided' };
  response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', error, id: null }));
}

createServer((request, response) => void answer(request, response)).listen(Number(process.argv[2]), '127.0.0.1');

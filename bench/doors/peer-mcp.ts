// A server as the SDK's documentation shows it: the same tool, computed in the same process, without credentials or a queue.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { calcMetrics } from '#lib/contracts';
import { serveParent } from '../system/parent.js';

const handler = toNodeHandler(
  createMcpHandler(() => {
    const server = new McpServer({ name: 'bare', version: '1.0.0' });
    server.registerTool(
      calcMetrics.name,
      { description: calcMetrics.description, inputSchema: calcMetrics.input },
      ({ height_cm: height, weight_kg: weight }) => {
        const structuredContent = { success: true, data: { bmi: Math.round((weight / (height / 100) ** 2) * 100) / 100 } };
        return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
      },
    );
    return server;
  }),
);
const server = createServer((request, response) => {
  const { method = 'GET', url = '/', headers } = request;
  void handler({ method, url, headers, [Symbol.asyncIterator]: () => request[Symbol.asyncIterator]() }, response);
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
serveParent({ url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}` });

// An outside server with sessions whose tool does nothing until somebody has paid at an address. It tells when they have (MCP 2025-11-25).
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { McpServer, UrlElicitationRequiredError } from '@modelcontextprotocol/server';

/** @param address at which one pays */
export async function startPayingServer(address: string) {
  const transports = new Map<string, NodeStreamableHTTPServerTransport>();
  const servers = new Set<McpServer>();
  /** What it has asked for, by its own name for it. */
  const asked: string[] = [];
  const paid = new Set<string>();
  const id = randomUUID();

  async function newSession(): Promise<NodeStreamableHTTPServerTransport> {
    const mcp = new McpServer({ name: 'paying', version: '1.0.0' });
    mcp.registerTool('order', { description: 'Order something.' }, () => {
      if (paid.has(id)) return { content: [{ type: 'text', text: 'ordered' }] };
      asked.push(id);
      throw new UrlElicitationRequiredError([{ mode: 'url', message: 'Pay there', url: address, elicitationId: id }]);
    });
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (session) => void transports.set(session, transport),
    });
    await mcp.connect(transport);
    servers.add(mcp);
    return transport;
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { 'mcp-session-id': session } = request.headers;
    const known = typeof session === 'string' ? transports.get(session) : undefined;
    if (session !== undefined && !known) return void response.writeHead(404).end();
    await (known ?? (await newSession())).handleRequest(request, response);
  }

  const server = createServer(
    { keepAliveTimeout: 0 },
    (request, response) => void answer(request, response).catch(() => response.destroy()),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const at = server.address();
  return {
    url: `http://127.0.0.1:${typeof at === 'object' && at ? at.port : 0}/mcp`,
    asked,
    /** Somebody pays, and all who are connected are told. */
    pay: async (): Promise<void> => {
      paid.add(id);
      await Promise.allSettled([...servers].map(async ({ server: one }) => one.createElicitationCompletionNotifier(id)()));
    },
    /** The same is said of an address that nobody was asked to open. */
    tell: async (other: string): Promise<void> => {
      await Promise.allSettled([...servers].map(async ({ server: one }) => one.createElicitationCompletionNotifier(other)()));
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

// An outside server whose every answer a test can set. It speaks MCP or the REST shape.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  inputRequired,
  McpServer,
  type CallToolResult,
  type InputRequests,
  type Prompt,
  type ReadResourceResult,
  type Resource,
  type Tool,
} from '@modelcontextprotocol/server';

type Respond = (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;

export class OutsideServer implements AsyncDisposable {
  /** Its list of tools, in both shapes. */
  tools: Tool[] = [];
  /** Whether every page of its list names a next page. */
  endlessList = false;
  /** How many progress notifications its tool `slow` sends. */
  progressSteps = 2;
  /** What it says with each of them. */
  progressMessage: string | null = null;
  /** How it answers a call. */
  answer: (name: string, input: Record<string, unknown>) => CallToolResult | Promise<CallToolResult> = (name, input) => ({
    content: [{ type: 'text', text: `${name} ${JSON.stringify(input)}` }],
  });
  /** What its tool `asking` asks the client before it answers. */
  question: Parameters<typeof inputRequired.elicit>[0] = { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } };
  /** What it asks in place of the question, all at once. */
  requests: InputRequests | null = null;
  /** What its tool `logging` logs before it answers. */
  logs: { readonly level: 'info' | 'warning'; readonly data: unknown; readonly logger?: string }[] = [];
  /** What it has besides tools. */
  resources: Resource[] = [];
  prompts: Prompt[] = [];
  /** How it answers a resource that is asked for. */
  read: (uri: string) => ReadResourceResult = (uri) => ({ contents: [{ uri, mimeType: 'text/plain', text: `text of ${uri}` }] });
  /** Tells who listens that its resources and prompts are others. */
  announce: () => void = () => undefined;
  /** Tells who listens for this resource that it has changed. */
  update: (uri: string) => void = () => undefined;
  /** Called first for each request. True when it has answered. */
  before: Respond = () => false;
  readonly calls: {
    readonly name: string;
    readonly input: unknown;
    readonly headers: IncomingMessage['headers'];
    /** What a client of 2026 says with each request. */
    readonly envelope?: unknown;
  }[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(shape: 'mcp' | 'rest' = 'mcp'): Promise<OutsideServer> {
    const server = createServer({ keepAliveTimeout: 0 });
    const outside = new OutsideServer(server);
    const serve =
      shape === 'mcp' ? outside.#mcp() : (request: IncomingMessage, response: ServerResponse) => outside.#rest(request, response);
    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      if (!(await outside.before(request, response))) await serve(request, response);
    };
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      answer(request, response).catch(() => response.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return outside;
  }

  get url(): string {
    const address = this.#server.address();
    if (typeof address !== 'object' || !address) throw new Error('the outside server does not listen');
    return `http://127.0.0.1:${address.port}`;
  }

  /** Breaks every connection; new ones are taken. */
  breakConnections(): void {
    this.#server.closeAllConnections();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #mcp(): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
    const handler = createMcpHandler((context) => {
      const capabilities = {
        logging: {},
        tools: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        prompts: { listChanged: true },
      };
      const mcp = new McpServer({ name: 'outside', version: '1.0.0' }, { capabilities });
      mcp.server.setRequestHandler('resources/list', () => ({ resources: this.resources }));
      mcp.server.setRequestHandler('prompts/list', () => ({ prompts: this.prompts }));
      mcp.server.setRequestHandler('resources/read', ({ params: { uri } }) => this.read(uri));
      mcp.server.setRequestHandler('prompts/get', ({ params }) => ({
        messages: [{ role: 'user', content: { type: 'text', text: JSON.stringify(params) } }],
      }));
      const headers = Object.fromEntries(context.requestInfo?.headers ?? []);
      mcp.server.setRequestHandler('tools/list', () => ({ tools: this.tools, ...(this.endlessList && { nextCursor: 'again' }) }));
      mcp.server.setRequestHandler('tools/call', async ({ params: { name, arguments: input = {} } }, { mcpReq }) => {
        this.calls.push({ name, input, headers, envelope: mcpReq.envelope });
        const progressToken = mcpReq._meta?.progressToken;
        if (progressToken !== undefined && name === 'slow')
          for (let progress = 1; progress <= this.progressSteps; progress++)
            await mcpReq.notify({
              method: 'notifications/progress',
              params: { progressToken, progress, total: 2 * this.progressSteps, message: this.progressMessage ?? `part ${progress}` },
            });
        if (name === 'logging')
          for (const params of this.logs) await mcpReq.notify({ method: 'notifications/message', params: { ...params } });
        if (name === 'asking') {
          const inputRequests = this.requests ?? { question: inputRequired.elicit(this.question) };
          const answers = mcpReq.inputResponses;
          if (!answers) return inputRequired({ inputRequests });
          return { content: [{ type: 'text', text: JSON.stringify(this.requests ? answers : answers['question']) }] };
        }
        return this.answer(name, input);
      });
      return mcp;
    });
    this.update = (uri) => handler.notify.resourceUpdated(uri);
    this.announce = () => {
      handler.notify.resourcesChanged();
      handler.notify.promptsChanged();
    };
    const node = toNodeHandler(handler);
    return (request, response) => {
      const { method = 'GET', url = '/', headers } = request;
      return node({ method, url, headers, [Symbol.asyncIterator]: () => request[Symbol.asyncIterator]() }, response);
    };
  }

  async #rest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const send = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.url === '/tools/list')
      return void send(200, {
        tools: this.tools.map(({ name, description, inputSchema, annotations }) => ({
          name,
          description,
          parameters: inputSchema,
          read_only: annotations?.readOnlyHint,
          idempotent: annotations?.idempotentHint,
        })),
      });
    if (request.url !== '/tools/call') return void send(404, { error: 'not here' });
    const { name, arguments: input }: { name: string; arguments: Record<string, unknown> } = JSON.parse(Buffer.concat(chunks).toString());
    this.calls.push({ name, input, headers: request.headers });
    const { structuredContent, content, isError } = await this.answer(name, input);
    const [first] = content;
    const message = first?.type === 'text' ? first.text : '';
    send(
      200,
      isError ? { success: false, error: { code: 'EXECUTION_ERROR', message } } : { success: true, data: structuredContent ?? { message } },
    );
  }
}

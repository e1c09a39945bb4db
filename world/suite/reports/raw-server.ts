// A server of MCP that says what it is told to say, byte for byte: no SDK stands between a report and the product.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

const message = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z.looseObject({ name: z.string().optional(), arguments: z.unknown().optional() }).optional(),
});
type Message = z.output<typeof message>;

export interface RawScript {
  /** Its list, as it is sent. */
  readonly tools: readonly unknown[];
  /** The result of a call, as it is sent. Default: its arguments as text. */
  readonly answer?: (name: string, input: unknown) => unknown;
  /** How messages are written. Default: as JSON. */
  readonly write?: (response: ServerResponse, reply: string) => void;
  /** Answers a request itself: gives whether it has. */
  readonly before?: (request: IncomingMessage, asked: Message, response: ServerResponse) => boolean;
}

export class RawServer implements AsyncDisposable {
  /** Arguments of the calls, in their order. */
  readonly inputs: unknown[] = [];
  readonly #server: Server;
  readonly #script: RawScript;

  private constructor(server: Server, script: RawScript) {
    this.#server = server;
    this.#script = script;
  }

  static async start(script: RawScript): Promise<RawServer> {
    const server = createServer();
    const raw = new RawServer(server, script);
    server.on('request', (request, response) => void raw.#serve(request, response).catch(() => response.destroy()));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return raw;
  }

  get url(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/mcp`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const asked = message.parse(body === '' ? {} : JSON.parse(body));
    if (this.#script.before?.(request, asked, response)) return;
    if (request.method !== 'POST') return void response.writeHead(405).end();
    if (asked.id === undefined) return void response.writeHead(202).end();
    const result = this.#result(asked);
    const error = { code: -32601, message: 'Method not found' };
    const reply = JSON.stringify({ jsonrpc: '2.0', id: asked.id, ...(result === undefined ? { error } : { result }) });
    const write = this.#script.write ?? writeJson;
    write(response, reply);
  }

  #result({ method, params }: Message): unknown {
    if (method === 'initialize')
      return { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'raw', version: '1.0.0' } };
    if (method === 'ping') return {};
    if (method === 'tools/list') return { tools: this.#script.tools };
    if (method !== 'tools/call') return undefined;
    this.inputs.push(params?.arguments);
    const answer = this.#script.answer ?? ((_name, input) => ({ content: [{ type: 'text', text: JSON.stringify(input) }] }));
    return answer(params?.name ?? '', params?.arguments);
  }
}

function writeJson(response: ServerResponse, reply: string): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(reply);
}

/** The keywords of a condition, as a server sends them. */
export const condition: object = JSON.parse('{"if":{"required":["a"]},"then":{"required":["b"]}}');

/** A definition with this input schema. */
export function rawTool(name: string, inputSchema: unknown, rest: object = {}): object {
  return { name, description: `Do ${name}.`, inputSchema, ...rest };
}

// A server of MCP that says exactly what a test gives it, as careless servers do: no SDK stands between.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { serve } from '../test-server.js';

const message = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z.looseObject({ cursor: z.string().optional(), arguments: z.unknown().optional() }).optional(),
});
type Message = z.output<typeof message>;

export interface RawServer {
  /** What it has been asked, in order. */
  readonly asked: Message[];
  /** The sessions that it knows. */
  readonly sessions: Set<string>;
}

export interface RawAnswers {
  readonly list?: (cursor: string | undefined) => object;
  readonly call?: (input: unknown) => object;
  readonly greeting?: object;
  /** What it says to any other message: a result or an error; undefined where it does not know the method. */
  readonly other?: (method: string, params: Message['params']) => object | undefined;
  /** Sends a message in the form of its transport. */
  readonly send?: (response: ServerResponse, message: object) => void;
  /** How it answers a session that it does not know; without it there are no sessions. */
  readonly unknownSession?: (response: ServerResponse) => void;
}

const sendJson = (response: ServerResponse, body: object): void =>
  void response.setHeader('content-type', 'application/json').end(JSON.stringify(body));

/** Streamable HTTP at every path. */
export async function serveRaw(answers: RawAnswers) {
  const raw: RawServer = { asked: [], sessions: new Set() };
  const server = await serve((request, response, body) => answer(raw, answers, { request, response, body }));
  return { ...raw, url: new URL('/mcp', server.url).href, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: string;
}

function answer(raw: RawServer, answers: RawAnswers, { request, response, body }: Exchange): void {
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const asked = message.parse(JSON.parse(body));
  raw.asked.push(asked);
  if (asked.id === undefined) return void response.writeHead(202).end();
  if (answers.unknownSession && asked.method === 'initialize') {
    const session = `s${raw.sessions.size + raw.asked.length}`;
    raw.sessions.add(session);
    response.setHeader('mcp-session-id', session);
  } else if (answers.unknownSession && asked.method !== 'server/discover' && !raw.sessions.has(String(request.headers['mcp-session-id'])))
    return answers.unknownSession(response);
  (answers.send ?? sendJson)(response, { jsonrpc: '2.0', id: asked.id, ...replyTo(asked, answers) });
}

/** What it says to a message. */
export function replyTo({ method, params }: Message, { list, call, greeting, other }: RawAnswers): object {
  switch (method) {
    case 'initialize':
      return {
        result: greeting ?? { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'raw', version: '1' } },
      };
    case 'tools/list':
      return { result: list?.(params?.cursor) ?? { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] } };
    case 'tools/call':
      return { result: call?.(params?.arguments) ?? { content: [{ type: 'text', text: 'said' }] } };
    default:
      return other?.(method ?? '', params) ?? { error: { code: -32_601, message: 'Method not found' } };
  }
}

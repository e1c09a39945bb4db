// Messages of the Model Context Protocol over plain HTTP, where a client would not send such a thing.
import { z } from 'zod';

const sent = z.looseObject({
  method: z.string(),
  params: z.looseObject({ name: z.string().optional(), uri: z.string().optional(), taskId: z.string().optional() }),
});
const answered = z.looseObject({ result: z.looseObject({}) });

/** Client metadata of a message in the newest revision. */
export const meta = (extensions: object = {}) => ({
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': { extensions },
});

/** Metadata of a client that supports tasks. */
export const withTasks = meta({ 'io.modelcontextprotocol/tasks': {} });

export const taskShape = z.looseObject({
  taskId: z.string(),
  status: z.string(),
  result: z.looseObject({ structuredContent: z.unknown() }).optional(),
});

export async function sendMessage(gateway: string | undefined, body: object, headers: Readonly<Record<string, string>>): Promise<Response> {
  const { method, params } = sent.parse(body);
  const name = params.taskId ?? params.name ?? params.uri;
  return fetch(new URL('/mcp', gateway), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(name !== undefined && { 'mcp-name': name }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
  });
}

export async function resultOf(response: Response): Promise<object> {
  return answered.parse(await response.json()).result;
}

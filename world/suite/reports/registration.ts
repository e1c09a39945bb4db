// Addresses and programs at whose registration others were given the wrong advice, or none.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { must } from '#lib/testing';
import type { Place } from '../place.js';
import type { Command, Row } from '../row.js';
import { call, mustServe, register } from '../servers/registered.js';
import { RawServer, rawTool } from './raw-server.js';

const one = rawTool('one', { type: 'object', properties: {} });

/** A program over stdio that answers this many ms after it was started, and says a word that is no message first. */
const program = (delayMs: number): string => `
const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
setTimeout(() => {
  console.log('Listening on stdio');
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    if (method === 'initialize') say({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'slow', version: '1' } } });
    else if (method === 'tools/list') say({ id, result: { tools: [${JSON.stringify(one)}] } });
    else if (method === 'tools/call') say({ id, result: { content: [{ type: 'text', text: 'here' }] } });
    else say({ id, error: { code: -32601, message: 'Method not found' } });
  });
}, ${delayMs});
`;
const command =
  (delayMs: number): Command =>
  () => ({ command: process.execPath, args: ['-e', program(delayMs)] });

export const registrationRows: readonly Row[] = [
  {
    group: 'reports',
    name: 'a program that prints to stdout what is no message',
    source: 'microsoft/azure-devops-mcp#147',
    holds: 'it is registered and called',
    short: true,
    commands: { chatty: command(0) },
    attempt: (place) => registeredAndCalled(place, 'chatty'),
  },
  {
    group: 'reports',
    name: 'a program that takes 20 s to start, with a longer time limit',
    source: 'own',
    holds: 'it is registered and called',
    short: false,
    commands: { 'slow-start': command(20_000) },
    attempt: (place) => registeredAndCalled(place, 'slow-start'),
  },
  {
    group: 'reports',
    name: 'the address of an OpenAPI document',
    source: 'PrefectHQ/fastmcp#839',
    holds: 'the refusal says that it is one',
    short: true,
    attempt: async (place) => {
      const document = { openapi: '3.1.0', info: { title: 'x', version: '1' }, paths: { '/a': { get: { responses: {} } } } };
      const server = createServer((request, response) => {
        const isRead = request.method === 'GET';
        response.writeHead(isRead ? 200 : 405, { 'content-type': 'application/json' }).end(isRead ? JSON.stringify(document) : '');
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const address = server.address();
      const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/openapi.json`;
      const reply = await place.admin.post('/mcp/servers', { name: 'openapi', url });
      server.close();
      must(reply.status === 400 && /OpenAPI/.test(reply.text), `${reply.status} ${reply.text.slice(0, 300)}`);
      return 'refused as an OpenAPI document';
    },
  },
  ...[404, 400].map((status): Row => ({
    group: 'reports',
    name: `a server that has forgotten its sessions, and answers with ${status}`,
    source: status === 404 ? 'modelcontextprotocol/python-sdk#1676' : 'punkpeye/fastmcp#121',
    holds: 'the call goes on in a new session',
    short: true,
    attempt: async (place) => {
      let session = 0;
      const error = { code: -32_000, message: 'Bad Request: No valid session ID provided' };
      await using server = await RawServer.start({
        tools: [one],
        before: (request, { method }, response) => {
          if (method === 'initialize') response.setHeader('mcp-session-id', `s${session}`);
          if (method === 'initialize' || request.headers['mcp-session-id'] === `s${session}`) return false;
          response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', error, id: null }));
          return true;
        },
      });
      const { served } = await register(place, { name: `forgets-${status}`, url: server.url });
      const tool = served[0]?.name ?? '';
      must((await call(place, tool, {})).ok, 'the first call failed');
      session++;
      const again = await call(place, tool, {});
      must(again.ok, again.text.slice(0, 300));
      return 'a new session was opened';
    },
  })),
];

async function registeredAndCalled(place: Place, name: string): Promise<string> {
  const registered = await register(place, { name, stdio: name, timeout_ms: 60_000 });
  mustServe(registered, 1);
  const { ok, text } = await call(place, registered.served[0]?.name ?? '', {});
  must(ok && text.includes('here'), text.slice(0, 300));
  return 'registered and called';
}

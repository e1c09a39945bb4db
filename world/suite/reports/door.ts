// What real clients send to /mcp, and others have refused.
import { must } from '#lib/testing';
import type { Place } from '../place.js';
import type { Row } from '../row.js';

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

interface Sent {
  readonly source: string;
  readonly name: string;
  readonly path?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: object;
}

const sent: readonly Sent[] = [
  { source: 'arabold/docs-mcp-server#349', name: 'Accept: */*', headers: { accept: '*/*' } },
  { source: 'honojs/middleware#1799', name: 'Accept: application/json alone', headers: { accept: 'application/json' } },
  { source: 'modelcontextprotocol/typescript-sdk#1944', name: 'Accept: text/event-stream alone', headers: { accept: 'text/event-stream' } },
  { source: 'own', name: 'Accept with weights and blanks', headers: { accept: 'text/event-stream;q=0.9 , application/json ; q=1' } },
  { source: 'own', name: 'an address that ends with a slash', path: '/mcp/', headers: { accept: '*/*' } },
  { source: 'own', name: 'a media type with a charset', headers: { accept: '*/*', 'content-type': 'application/json; charset=UTF-8' } },
  {
    source: 'own',
    name: 'an id that is text, and no params',
    headers: { accept: '*/*' },
    body: { jsonrpc: '2.0', id: 'a-1', method: 'tools/list' },
  },
  { source: 'own', name: 'an address with two strokes', path: '//mcp', headers: { accept: '*/*' } },
  {
    source: 'own',
    name: 'a revision that a proxy has sent twice',
    headers: { accept: '*/*', 'mcp-protocol-version': '2025-06-18, 2025-06-18' },
  },
  { source: 'own', name: 'the media type of JSON-RPC', headers: { accept: '*/*', 'content-type': 'application/json-rpc' } },
  { source: 'own', name: 'a session id that nobody gave', headers: { accept: '*/*', 'mcp-session-id': 'stale' } },
];

export const doorRows: readonly Row[] = sent.map(({ source, name, path = '/mcp', headers, body = list }, index) => ({
  group: 'reports',
  name: `a client of /mcp that sends ${name}`,
  source,
  holds: 'it gets the list of tools',
  short: index < 3,
  attempt: async (place: Place) => {
    const response = await fetch(`${place.system.gateway.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${place.key}`, ...headers },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    must(response.status === 200 && text.includes('"tools"'), `${response.status} ${text.slice(0, 300)}`);
    return `${text.length} characters`;
  },
}));

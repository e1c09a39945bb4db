// Requests that found a fault once, as they were sent: a seed gives another case as soon as the grammar changes. Every run begins
// with them.
import type { Case } from './case.js';

interface Regression {
  /** What was wrong. */
  readonly found: string;
  readonly sent: Case;
}

const bearer = ['authorization', 'Bearer {{user}}'] as const;

export const regressions: readonly Regression[] = [
  {
    found: '500 without an envelope, from Fastify: the hooks had not run',
    sent: {
      door: 'raw bytes',
      steps: [
        {
          method: 'RAW',
          target: '',
          headers: [],
          raw: 'OPTIONS * HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {{user}}\r\nConnection: close\r\n\r\n',
        },
      ],
    },
  },
  {
    found: '417 without a body, from Node',
    sent: { door: 'GET /tools', steps: [{ method: 'GET', target: '/tools', headers: [bearer, ['expect', 'x']] }] },
  },
  {
    found: '500 without an envelope, from the route of the CORS plugin',
    sent: {
      door: 'OPTIONS',
      steps: [{ method: 'OPTIONS', target: '/nothing', headers: [bearer, ['content-type', 'application/json']], body: '{"a":' }],
    },
  },
  {
    found: '400 without a body, from Node',
    sent: {
      door: 'raw bytes',
      steps: [{ method: 'RAW', target: '', headers: [], raw: 'GET /tools HTTP/1.1\r\nConnection: close\r\n\r\n' }],
    },
  },
  {
    found: '500, from the SDK of MCP: it put the Host before the target',
    sent: {
      door: 'MCP 2026',
      steps: [
        {
          method: 'POST',
          target: 'http://other.example/mcp',
          headers: [bearer, ['content-type', 'application/json'], ['accept', 'application/json, text/event-stream']],
          body: '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}',
        },
      ],
    },
  },
];

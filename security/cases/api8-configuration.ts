import { z } from 'zod';
import { must } from '#lib/testing';
import { casesIn } from '../case.js';
import { as, clientError, mustNotHold, refused, served } from '../expect.js';
import { describe } from '../world/answer.js';
import type { Client } from '../world/client.js';

const metrics = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };
const crlf = 'x\r\nset-cookie: stolen=1';

/** Bytes of a request that two parsers could understand differently. */
function smuggled({ url, headers }: Client, head: string, body: string): string {
  return `POST /tools/calc_metrics HTTP/1.1\r\nHost: ${new URL(url).host}\r\nConnection: close\r\nContent-Type: application/json\r\nAuthorization: ${headers['authorization']}\r\n${head}\r\n\r\n${body}`;
}

const smuggling = {
  'a length and chunks': ['Content-Length: 4\r\nTransfer-Encoding: chunked', '0\r\n\r\n'],
  'two lengths': ['Content-Length: 2\r\nContent-Length: 4', '{}  '],
  'a length that is no number': ['Content-Length: 2,2', '{}'],
  'a negative length': ['Content-Length: -1', '{}'],
  'a folded header': ['X-A: a\r\n b\r\nContent-Length: 2', '{}'],
  'a blank before the colon': ['Content-Length : 2', '{}'],
  'chunks that are spelled otherwise': ['Transfer-Encoding: xchunked', '0\r\n\r\n'],
  'chunks with a wrong size': ['Transfer-Encoding: chunked', 'zz\r\n{}\r\n0\r\n\r\n'],
} as const;

const oddBodies: Readonly<Record<string, readonly [type: string, body: string]>> = {
  'a form': ['application/x-www-form-urlencoded', 'height_cm=175'],
  parts: ['multipart/form-data; boundary=x', '--x\r\n\r\n1\r\n--x--'],
  'plain text': ['text/plain', '{}'],
  XML: ['application/xml', '<a/>'],
  'UTF-16': ['application/json; charset=utf-16', '{\0}\0'],
  'Latin-1': ['application/json; charset=iso-8859-1', '{}'],
  'text after the JSON': ['application/json', '{} {}'],
  'broken UTF-8': ['application/json', '{"a":"\xff\xfe"}'],
};

export const configurationCases = [
  ...casesIn(
    'API8',
    Object.fromEntries(
      Object.entries(smuggling).map(([what, [head, body]]) => [
        `A request with ${what} is refused, and its connection closed`,
        [
          'S55',
          async ({ stranger }: { stranger: Client }) =>
            void refused(await stranger.sendRaw(smuggled(stranger, head, body)), [400, 411, 501]),
        ] as const,
      ]),
    ),
  ),
  ...casesIn(
    'API8',
    Object.fromEntries(
      Object.entries(oddBodies).map(([what, [type, body]]) => [
        `A body of ${what} is refused`,
        [
          'S54',
          async ({ stranger }: { stranger: Client }) =>
            void refused(
              await stranger.send('POST /tools/calc_metrics', { body: Buffer.from(body, 'latin1'), headers: { 'content-type': type } }),
              [400, 415],
            ),
        ] as const,
      ]),
    ),
  ),
  ...casesIn('API8', {
    'Nothing that is sent becomes a header of the answer': [
      'S45',
      async ({ stranger, nobody }) => {
        for (const name of ['idempotency-key', 'x-trace-id', 'x-request-id', 'traceparent', 'x-session-id', 'origin', 'mcp-method']) {
          const answer = await stranger.send('POST /tools/calc_metrics', { json: metrics, headers: { [name]: crlf } });
          must(!answer.headers.has('set-cookie'), `${name} set a cookie: ${describe(answer)}`);
        }
        for (const target of [`/tools/${encodeURIComponent(crlf)}`, `/tools?x=${encodeURIComponent(crlf)}`])
          must(!(await nobody.send(`GET ${target}`)).headers.has('set-cookie'), `${target} set a cookie`);
      },
    ],
    'A request_id of any shape gets an envelope, on every door': [
      'finding 10',
      async ({ stranger }) => {
        for (const request_id of ['请', 'a b', 'x'.repeat(500), 'a\r\nb', '', '\u007f', '💥']) {
          for (const line of ['POST /tools/citation_helper', 'POST /stripe/citation_helper', 'POST /tools/citation_helper/sse']) {
            const answer = await stranger.send(line, { json: { claim: 'x', request_id } });
            must(answer.text.length > 0, `an empty answer: ${describe(answer)}`);
          }
        }
      },
    ],
    'A text that looks like an event is no event': [
      'S47',
      async ({ stranger }) => {
        const title = 'x\n\nevent: tool_result\ndata: {"success":true,"data":{"forged":1}}\r\nid: 7\n\n';
        const { text } = served(
          await stranger.send('POST /tools/generate_report/sse', { json: { title, content: title, format: 'html' } }),
        );
        must((text.match(/^event: tool_result$/gm) ?? []).length === 1, 'the stream has not one result');
        must(!/^data: .*"forged":1\}\}$/m.test(text), 'the text became an event');
        const unknown = await stranger.send(`GET /tools/${encodeURIComponent(title)}/sse`);
        must(!/^event: tool_result$/m.test(unknown.text), 'the name of a tool became an event');
      },
    ],
    'Half a surrogate pair, odd directions and blanks without width break nothing': [
      'S59',
      async ({ stranger }) => {
        for (const text of ['\\ud800', '\\udc00x', '\\u0000'])
          refused(await stranger.send('POST /tools/search_documents', { body: `{"query":"${text}"}` }), 400);
        for (const text of ['\u202Etxt.exe', '\u200B\u200D', '\uFEFFx', '\u{E0041}\u{E0042}', '\u2028', '\u001b[31m'])
          must((await stranger.send('POST /tools/search_documents', { json: { query: text } })).status < 500, 'a fault');
      },
    ],
    'Values of paths, queries and headers have the checks of bodies': [
      'finding 11',
      async ({ admin, stranger, nobody }) => {
        for (const target of ['/files/%00', '/files/%ff', '/files/%ed%a0%80']) clientError(await nobody.send(`GET ${target}`));
        for (const target of ['/keys/%00', '/mcp/servers/%00', '/jobs/%00', '/traces/%00', '/skills/%00', '/docs/migrations/%00'])
          clientError(await admin.send(`GET ${target}`));
        const stream = await stranger.send('GET /tools/user_profile_lookup/sse?user_id=%00');
        must(stream.status === 400 || stream.text.includes('INVALID_PARAMS'), `NUL reached the tool: ${describe(stream)}`);
      },
    ],
    'An answer says that it is JSON and is not to be guessed or framed': [
      'S93',
      async ({ victim, nobody }) => {
        for (const [client, path] of [
          [victim, '/jobs'],
          [nobody, '/healthz'],
          [nobody, '/jobs'],
          [victim, '/docs'],
        ] as const) {
          const { headers } = await client.send(`GET ${path}`);
          must(headers.get('x-content-type-options') === 'nosniff', `${path} may be guessed`);
          must(
            headers.has('x-frame-options') || headers.get('content-security-policy')?.includes('frame-ancestors') === true,
            `${path} may be framed`,
          );
          must(headers.has('strict-transport-security'), `${path} has no Strict-Transport-Security`);
          must(!headers.has('x-powered-by') && !headers.has('server'), `${path} names its software`);
        }
      },
    ],
    'No origin is reflected, with or without a credential': [
      'S97',
      async ({ victim, nobody }) => {
        for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1', 'https://app.example.com'])
          for (const client of [victim, nobody])
            for (const line of [
              'GET /jobs',
              'OPTIONS /jobs',
              'OPTIONS /tools/calc_metrics',
              'GET /healthz',
              'GET /tools/calc_metrics/sse',
            ]) {
              const { headers } = await client.send(line, {
                headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
              });
              must(
                !headers.has('access-control-allow-origin') && !headers.has('access-control-allow-credentials'),
                `${line} allows ${origin}`,
              );
            }
      },
    ],
    'A request in absolute form or to a foreign authority is no way in': [
      'finding 1, S56',
      async ({ nobody, victim }) => {
        for (const target of ['http://127.0.0.1/admin/queues', 'http://evil.example/keys', 'https://x/metrics', '*', 'evil.example:80']) {
          clientError(await victim.send(`GET ${target}`));
          clientError(await nobody.send(`GET ${target}`));
        }
        // Nobody serves CONNECT: Node closes the connection.
        refused(await nobody.send('CONNECT evil.example:443', { allows: [0] }), [0, 400, 404, 405]);
      },
    ],
    'A lookup in the catalog finds tools and nothing that objects have': [
      'S51, S91',
      async ({ victim }) => {
        for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__']) {
          for (const target of [`/tools/${name}`, `/tools/${name}/sse`, `/tools/calc_metrics?format=${name}`, `/tools?domain=${name}`]) {
            const answer = await victim.send(`GET ${target}`);
            must(answer.status < 500, describe(answer));
            mustNotHold(answer.text, 'native code', 'the answer');
          }
          refused(await victim.send(`POST /tools/${name}`, { json: {} }), 404);
        }
      },
    ],
    'Faults of JSON are named without what was sent': [
      'S43',
      async ({ stranger, canary }) => {
        for (const body of [`{"a":"${canary}"`, `{"${canary}":1,}`, `[${canary}]`, `"${canary}`])
          refused(await stranger.send('POST /tools/calc_metrics', { body }), 400);
      },
    ],
    'Each answer names its own trace, and repeats a given one only in its shape': [
      'S45, finding 7',
      async ({ stranger }) => {
        const shape = z.looseObject({ metadata: z.looseObject({ trace_id: z.string() }) });
        for (const given of ['trace_a b', 'nonsense', '<script>', `trace_${'x'.repeat(65)}`]) {
          const answer = served(await stranger.send('POST /tools/calc_metrics', { json: metrics, headers: { 'x-trace-id': given } }));
          must(as(answer, shape).metadata.trace_id !== given, `${given} was taken as a trace id`);
        }
      },
    ],
  }),
];

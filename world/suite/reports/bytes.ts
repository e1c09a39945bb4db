// Ways to send the same messages that others have reported as unreadable.
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { rawTool, type RawScript } from './raw-server.js';
import type { Report } from './report.js';

const one = rawTool('one', { type: 'object', properties: { a: { type: 'string' } } });
const said = 'naïve 说明 \u2028 \u{1F600}';

function stream(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(text);
}

/** In pieces of seven bytes, each in a packet of its own. */
function slowly(response: ServerResponse, reply: string): void {
  const bytes = Buffer.from(`data: ${reply}\n\n`);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (place: number): void => {
    if (place >= bytes.length) return void response.end();
    response.write(bytes.subarray(place, place + 7), () => setImmediate(send, place + 7));
  };
  send(0);
}

function json(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(text);
}

/** As languages write it that send every field of a message. */
function withNulls(reply: string): string {
  return reply.includes('"result":{') ? reply.replace('"result":{', '"error":null,"result":{"_meta":null,') : reply;
}

const ways: readonly (readonly [source: string, what: string, write: NonNullable<RawScript['write']>])[] = [
  [
    'rexxars/eventsource-parser#17',
    'lines of an event stream that end with CR alone',
    (to, reply) => stream(to, `event: message\rdata: ${reply}\r\r`),
  ],
  ['FellouAI/eko#287', 'an event stream cut every seven bytes, within characters', slowly],
  [
    'modelcontextprotocol/rust-sdk#791',
    'a first event without data, a time to retry, comments and a notification before the answer',
    (to, reply) =>
      stream(
        to,
        `id: 1\ndata:\n\nretry: 500\n\n: ping\n\ndata: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\n\ndata: ${reply}\n\n`,
      ),
  ],
  [
    'own',
    'a body that is compressed',
    (to, reply) =>
      void to.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-encoding': 'gzip' }).end(gzipSync(reply)),
  ],
  ['own', 'an error of null beside the result, and a _meta of null in it', (to, reply) => json(to, withNulls(reply))],
  ['own', 'an id that is text where a number was asked', (to, reply) => json(to, reply.replace(/"id":(\d+)/, '"id":"$1"'))],
  ['own', 'messages without a version', (to, reply) => json(to, reply.replace('"jsonrpc":"2.0",', ''))],
  ['own', 'an event stream whose last event has no end', (to, reply) => stream(to, `data: ${reply}`)],
  ['own', 'events of another name', (to, reply) => stream(to, `event: result\ndata: ${reply}\n\n`)],
  ['own', 'a body without a media type', (to, reply) => void to.writeHead(200).end(reply)],
];

export const byteReports: readonly Report[] = ways.map(([source, what, write], index) => ({
  source,
  name: what,
  holds: 'the text arrives as it was',
  tools: [one],
  script: { write, answer: () => ({ content: [{ type: 'text', text: said }] }) },
  calls: [{ tool: 'one', input: { a: said }, sees: { a: said }, holds: /naïve 说明/ }],
  short: index === 0 || index >= 4,
}));

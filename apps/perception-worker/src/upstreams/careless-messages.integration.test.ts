// What stands around an answer: servers write it as their language likes. The tool has run by then, so nothing of it may cost its answer.
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { serveRaw } from './test-raw-server.js';
import { call, newName, openServices, register, withStores } from './test-upstreams.js';

withStores();

interface Sent {
  readonly jsonrpc: string;
  readonly id: number;
  readonly result: { readonly content?: unknown };
}
type Way = (message: Sent, response: ServerResponse) => unknown;

let server: Awaited<ReturnType<typeof serveRaw>>;
let services: ReturnType<typeof openServices>;
let answersBy: Way;
const name = newName();

/** A server that answers calls in any way, and all else as it should. */
beforeAll(async () => {
  services = openServices({}, 60_000);
  server = await serveRaw({
    send: (response, message) => {
      const isCall = 'result' in message && 'content' in Object(message.result);
      const sent = isCall ? answersBy(message as Sent, response) : message;
      if (sent === undefined) return;
      response.setHeader('content-type', 'application/json').end(typeof sent === 'string' ? sent : JSON.stringify(sent));
    },
  });
  expect(await register(services, { name, url: server.url })).toMatchObject({ kind: 'done' });
});
afterAll(async () => {
  await services?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});

async function answering(way: Way) {
  answersBy = way;
  return call(services, name, 'echo');
}

const as =
  (type: string | null, status = 200) =>
  (text: string, response: ServerResponse) =>
    void response.writeHead(status, type === null ? {} : { 'content-type': type }).end(text);
const said = { content: [{ type: 'text', text: 'said' }] };

describe('an answer is given', () => {
  test.each<[string, Way, object?]>([
    ['with a _meta that is null', (message) => ({ ...message, result: { ...message.result, _meta: null } })],
    ['with a _meta that is text', (message) => ({ ...message, result: { ...message.result, _meta: 'x' } })],
    ['with an error that is null', (message) => ({ ...message, error: null })],
    ['with a method that is null', (message) => ({ ...message, method: null, params: null })],
    ['without a version', ({ id, result }) => ({ id, result })],
    ['with the version 1.0', (message) => ({ ...message, jsonrpc: '1.0' })],
    ['with its id as text', (message) => ({ ...message, id: String(message.id) })],
    ['with an id that is null', (message) => ({ ...message, id: null })],
    ['without an id', ({ jsonrpc, result }) => ({ jsonrpc, result })],
    ['alone', ({ result }) => result],
    ['as text', (message) => ({ ...message, result: 'said' })],
    ['as a list of blocks', (message) => ({ ...message, result: message.result.content })],
    ['as null', (message) => ({ ...message, result: null }), { content: [] }],
    ['in a list', (message) => [message]],
    ['as text/plain', (message, response) => as('text/plain')(JSON.stringify(message), response)],
    ['without a type', (message, response) => as(null)(JSON.stringify(message), response)],
    ['as application/json-rpc', (message, response) => as('application/json-rpc')(JSON.stringify(message), response)],
    ['with the status 500', (message, response) => as('application/json', 500)(JSON.stringify(message), response)],
    [
      'with NaN, as Python writes it',
      (message) =>
        JSON.stringify({ ...message, result: { structuredContent: { a: 'b', text: 'a NaN in "text"' } } }).replace(
          '"b"',
          '[NaN, -Infinity]',
        ),
      { a: [null, null], text: 'a NaN in "text"' },
    ],
    [
      'in Latin-1',
      (message, response) => {
        response.setHeader('content-type', 'application/json; charset=iso-8859-1');
        response.end(Buffer.from(JSON.stringify({ ...message, result: { content: [{ type: 'text', text: 'café' }] } }), 'latin1'));
      },
      { content: [{ type: 'text', text: 'café' }] },
    ],
  ])('%s', async (_what, way, data = said) => {
    expect(await answering(way)).toMatchObject({ kind: 'done', data });
  });

  test.each<[string, (text: string) => string]>([
    ['whose last event has no end', (text) => `event: message\ndata: ${text}`],
    ['whose event has another name', (text) => `event: result\ndata: ${text}\n\n`],
    [
      'whose text has line separators',
      (text) => `event: result\ndata: ${text.replace('"content":', '"_meta":null,"a":"\u2028\u2029\u0085","content":')}\n\n`,
    ],
    ['in several lines', (text) => `${JSON.stringify(JSON.parse(text), null, 1).replaceAll(/^/gm, 'data: ')}\n\n`],
    ['with its id as text', (text) => `data: ${text.replace(/"id":(\d+)/, '"id":"$1"')}\n\n`],
    ['with a _meta that is null', (text) => `data: ${text.replace('"content"', '"_meta":null,"content"')}\n\n`],
    ['after events that are none', (text) => `data: x\n\ndata: {"x":1}\n\ndata:\n\n: y\n\ndata: ${text}\n\n`],
    ['of servers that are more careful', (text) => `id: 1\ndata:\n\nretry: 10\nevent: message\nid: 2\ndata: ${text}\n\n`],
  ])('in a stream %s', async (_what, write) => {
    expect(await answering((message, response) => as('text/event-stream')(write(JSON.stringify(message)), response))).toMatchObject({
      kind: 'done',
      data: said,
    });
  });
});

describe("a refusal is told in the server's own words", () => {
  const refusal = { code: -32_050, message: 'the moon is full' };
  test.each<[string, Way]>([
    ['beside a result that is null', ({ jsonrpc, id }) => ({ jsonrpc, id, result: null, error: refusal })],
    ['with a code that is text', ({ jsonrpc, id }) => ({ jsonrpc, id, error: { ...refusal, code: 'E_MOON' } })],
    ['with half a code', ({ jsonrpc, id }) => ({ jsonrpc, id, error: { ...refusal, code: -32_000.5 } })],
    ['as text', ({ jsonrpc, id }) => ({ jsonrpc, id, error: refusal.message })],
    ['without a message', ({ jsonrpc, id }) => ({ jsonrpc, id, error: { reason: refusal.message } })],
    ['with an id that is null', ({ jsonrpc }) => ({ jsonrpc, id: null, error: refusal })],
    [
      'with the status 400',
      ({ jsonrpc, id }, response) => as('application/json', 400)(JSON.stringify({ jsonrpc, id, error: refusal }), response),
    ],
    [
      'with the status 500',
      ({ jsonrpc, id }, response) => as('application/json', 500)(JSON.stringify({ jsonrpc, id, error: refusal }), response),
    ],
  ])('%s', async (_what, way) => {
    expect(await answering(way)).toMatchObject({ kind: 'refused', error: { message: expect.stringContaining('the moon is full') } });
  });
});

// A resource, and the OAuth server that it names, over real HTTP: as servers in the world are.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { OAuthRequests } from './oauth-requests.js';
import { setUp } from './set-up.js';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
const requests = new OAuthRequests({ allowedHosts: [], allowPrivate: true });
const json =
  (body: object, status = 200): Answer =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

let server: Server;
let base: string;
/** Answers by method and path, or by path. */
let answers: Record<string, Answer>;
const seen: string[] = [];

beforeEach(async () => {
  seen.length = 0;
  server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    const answer = answers[`${request.method} ${request.url}`] ?? answers[request.url ?? ''];
    if (answer) answer(request, response);
    else response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  base = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  answers = {
    '/.well-known/oauth-authorization-server': json({
      issuer: base,
      authorization_endpoint: `${base}/authorize`,
      token_endpoint: `${base}/token`,
      registration_endpoint: `${base}/register`,
      token_endpoint_auth_methods_supported: ['client_secret_basic'],
    }),
    '/register': json({ client_id: 'a-client', client_secret: 'a.secret' }, 201),
  };
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const metadata = (resource: string, more: object = {}) => json({ resource, authorization_servers: [base], ...more });
const challenge =
  (said: string): Answer =>
  (_request, response) =>
    void response.writeHead(401, { 'www-authenticate': said }).end();
const begin = async (more: object = {}) =>
  setUp(requests, {
    config: { resource: `${base}/mcp`, return_origins: [], ...more },
    clientSecret: null,
    redirectUri: 'http://127.0.0.1:9/callback',
    clientDocument: null,
    before: null,
  });

describe('what a resource says of itself', () => {
  test('is at the address that its refusal names, with the scopes that it asks for', async () => {
    answers['GET /mcp'] = challenge(`Bearer error="invalid_token", resource_metadata="${base}/elsewhere", scope="a b"`);
    answers['/elsewhere'] = metadata(`${base}/mcp`, { scopes_supported: ['a', 'b', 'c'] });
    expect((await begin()).server).toMatchObject({ issuer: base, resource: `${base}/mcp`, scopes: ['a', 'b'] });
    expect((await begin({ scopes: ['mine'] })).server.scopes).toEqual(['mine']);
  });

  test('is asked for by a message where nothing else is answered', async () => {
    answers['POST /mcp'] = challenge(`Bearer resource_metadata=${base}/elsewhere`);
    answers['/elsewhere'] = metadata(`${base}/mcp`, { scopes_supported: ['a'] });
    expect((await begin()).server.scopes).toEqual(['a']);
  });

  test.each([
    ['with its path', '/.well-known/oauth-protected-resource/mcp', '/mcp'],
    ['without it', '/.well-known/oauth-protected-resource', '/mcp'],
    ['of the whole of which it is a part', '/.well-known/oauth-protected-resource', ''],
  ])('is found %s where it refuses nothing', async (_what, path, resource) => {
    answers[path] = metadata(`${base}${resource}`);
    expect((await begin()).server).toMatchObject({ issuer: base, scopes: [] });
  });

  test.each([
    ['another resource', () => metadata(`${base}/other`)],
    ['a part of it', () => metadata(`${base}/mcp/deeper`)],
    ['the same path elsewhere', () => metadata('https://evil.example/mcp')],
    ['a beginning of its name', () => metadata(`${base}/mc`)],
    ['no object', () => json([])],
  ])('counts for nothing where it is of %s', async (_what, said) => {
    answers['GET /mcp'] = challenge(`Bearer resource_metadata="${base}/elsewhere"`);
    answers['/elsewhere'] = said();
    await expect(begin()).rejects.toThrow('the metadata of the resource');
    expect(seen).not.toContain('POST /register');
  });
});

test('a client is known as servers write it, also where its id has a stroke', async () => {
  answers['GET /mcp'] = challenge(`Bearer resource_metadata="${base}/elsewhere"`);
  answers['/elsewhere'] = metadata(`${base}/mcp`);
  const open = await begin();
  expect(open.server).toMatchObject({ client: 'dynamic', clientId: 'a-client', authentication: 'client_secret_basic' });
  const authorizations: unknown[] = [];
  answers['/token'] = (request, response) => {
    authorizations.push(request.headers.authorization);
    json({ access_token: 'token' })(request, response);
  };
  await requests.refresh(open, 'again');
  await requests.refresh({ server: { ...open.server, clientId: 'a:b' }, clientSecret: 'ü +' }, 'again');
  expect(authorizations).toEqual(['a-client:a.secret', 'a%3Ab:%C3%BC+%2B'].map((text) => `Basic ${btoa(text)}`));
});

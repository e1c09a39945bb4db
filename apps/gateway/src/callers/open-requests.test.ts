import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Caller } from '#lib/contracts';
import { OpenRequests } from './open-requests.js';

const caller: Caller = { tenantId: 't', userId: 'u', tier: 'pro', scopes: [], credentialId: 'k' };
const server = createServer();

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server.close());

/** A request that a client makes; `leave` hangs up. */
async function request(): Promise<{ readonly response: ServerResponse; readonly leave: () => Promise<void> }> {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server does not listen');
  const arrived = new Promise<ServerResponse>((resolve) => server.once('request', (_request, answer) => resolve(answer)));
  const client = connect(address.port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const response = await arrived;
  const leave = async () => {
    const closed = once(response, 'close');
    client.destroy();
    await closed;
  };
  return { response, leave };
}

test('a request counts until its client has left, and for its credential alone', async () => {
  const open = new OpenRequests(1);
  const first = await request();
  open.admit(caller, first.response);
  const second = await request();
  expect(() => open.admit(caller, second.response)).toThrow('its limit of open requests here (1)');
  expect(() => open.admit({ ...caller, credentialId: 'other' }, second.response)).not.toThrow();
  await first.leave();
  expect(() => open.admit(caller, second.response)).not.toThrow();
  await second.leave();
});

test('a client that left while its credential was looked up counts as none', async () => {
  const open = new OpenRequests(1);
  const gone = await request();
  await gone.leave();
  open.admit(caller, gone.response);
  const next = await request();
  expect(() => open.admit(caller, next.response)).not.toThrow();
  await next.leave();
});

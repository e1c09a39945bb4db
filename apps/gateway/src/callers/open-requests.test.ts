import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Refusal, type Caller } from '#lib/contracts';
import { Metrics } from '#lib/transport';
import { OpenRequests } from './open-requests.js';

const most = (count: number) => ({ settings: { OPEN_REQUESTS_PER_CREDENTIAL: count }, metrics: new Metrics() });

const always = { check: async () => undefined };
const ignore = () => undefined;
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
  const open = new OpenRequests(most(1), always);
  const first = await request();
  open.admit(caller, first.response, ignore);
  const second = await request();
  expect(() => open.admit(caller, second.response, ignore)).toThrow('its limit of open requests here (1)');
  expect(() => open.admit({ ...caller, credentialId: 'other' }, second.response, ignore)).not.toThrow();
  await first.leave();
  expect(() => open.admit(caller, second.response, ignore)).not.toThrow();
  await second.leave();
});

test('a client that left while its credential was looked up counts as none', async () => {
  const open = new OpenRequests(most(1), always);
  const gone = await request();
  await gone.leave();
  open.admit(caller, gone.response, ignore);
  const next = await request();
  expect(() => open.admit(caller, next.response, ignore)).not.toThrow();
  await next.leave();
});

describe('A sweep', () => {
  test('checks each credential once, and ends all requests of those that have ended', async () => {
    const checked: string[] = [];
    const check = async ({ credentialId, credentialEndsAt }: Pick<Caller, 'credentialId' | 'credentialEndsAt'>) => {
      checked.push(`${credentialId} ${credentialEndsAt ?? ''}`);
      if (credentialId === 'revoked' || credentialEndsAt === 1) throw new Refusal('UNAUTHORIZED', 'over');
      if (credentialId === 'unknown') throw new Refusal('NETWORK_ERROR', 'the database is away');
    };
    const open = new OpenRequests(most(10), { check });
    const ended: string[] = [];
    const clients = [];
    for (const credential of [
      { credentialId: 'good' },
      { credentialId: 'good' },
      { credentialId: 'revoked' },
      { credentialId: 'revoked' },
      { credentialId: 'unknown' },
      { credentialId: 'jwt:t/u', credentialEndsAt: 1 },
      { credentialId: 'jwt:t/u', credentialEndsAt: 2 },
    ]) {
      const client = await request();
      clients.push(client);
      open.admit({ ...caller, ...credential }, client.response, ({ error }) => ended.push(`${credential.credentialId} ${error.message}`));
    }
    await open.sweep();
    expect(checked.toSorted()).toEqual(['good ', 'jwt:t/u 1', 'jwt:t/u 2', 'revoked ', 'unknown ']);
    expect(ended.toSorted()).toEqual(['jwt:t/u over', 'revoked over', 'revoked over']);
    for (const client of clients) await client.leave();
    checked.length = 0;
    await open.sweep();
    expect(checked).toEqual([]);
  });

  test('waits for the one before it', async () => {
    const held = Promise.withResolvers<undefined>();
    let checks = 0;
    const open = new OpenRequests(most(10), { check: async () => ((checks += 1), held.promise) });
    const client = await request();
    open.admit(caller, client.response, ignore);
    const first = open.sweep();
    await open.sweep();
    expect(checks).toBe(1);
    held.resolve(undefined);
    await first;
    await open.sweep();
    expect(checks).toBe(2);
    await client.leave();
  });
});

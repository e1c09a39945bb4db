import { request, type IncomingMessage } from 'node:http';
import { expect, test } from '@jest/globals';
import { eventually } from '#lib/testing';
import { Readiness } from './operations/readiness.js';
import { EventStreams } from './http/event-streams.js';
import { Stores } from './stores.js';
import { Limits } from './calls/limits.js';
import { McpDoor } from './doors/mcp/door.js';
import { TestHttpGateway } from './test-http-gateway.js';

/** Names of what happened, in order. */
function watch(gateway: TestHttpGateway): string[] {
  const seen: string[] = [];
  const spy = <Name extends string>(target: Record<Name, (...args: never[]) => unknown>, name: Name, word: string): void => {
    const original = target[name].bind(target);
    target[name] = (...args) => {
      seen.push(word);
      return original(...args);
    };
  };
  const { followers, outside, database, redis, subscriber } = gateway.app.get(Stores);
  spy(gateway.app.get(Readiness), 'stop', 'readiness');
  spy(gateway.app.get(EventStreams), 'closeAll', 'streams');
  spy(gateway.app.get(McpDoor), 'close', 'mcp');
  spy(gateway.app.get(Limits, { strict: false }), 'stop', 'limits');
  spy(followers, 'stop', 'followers');
  spy(outside, 'stop', 'outside tools');
  spy(database, '$disconnect', 'database');
  spy(redis, 'disconnect', 'redis');
  spy(subscriber, 'disconnect', 'subscriber');
  gateway.app
    .getHttpAdapter()
    .getHttpServer()
    .once('close', () => seen.push('port'));
  return seen;
}

/** A stream that is open until the gateway ends it. */
async function openStream(gateway: TestHttpGateway): Promise<IncomingMessage> {
  const { port } = gateway;
  return new Promise((resolve, reject) => {
    const headers = { authorization: gateway.user, accept: 'text/event-stream', 'content-type': 'application/json' };
    const sent = request({ host: '127.0.0.1', port, path: '/tools/user_profile_lookup', method: 'POST', headers, agent: false }, resolve);
    sent.on('error', reject);
    sent.end('{"user_id":"user_001"}');
  });
}

test('A gateway stops in order: it is unready, ends its streams, closes its port, then its stores', async () => {
  await using gateway = await TestHttpGateway.start();
  const seen = watch(gateway);
  await gateway.app.close();
  expect(seen).toEqual(['readiness', 'streams', 'mcp', 'port', 'limits', 'followers', 'outside tools', 'database', 'redis', 'subscriber']);
});

test('A stopping gateway answers, says that it stops, and lets readers of streams go', async () => {
  await using gateway = await TestHttpGateway.start({ NOTICE_MS: '500' });
  expect((await gateway.send('/readyz')).status).toBe(200);
  const stream = await openStream(gateway);
  const closed = gateway.app.close();
  await eventually(() => gateway.app.get(Readiness).isStopping, { withinMs: 2_000, what: 'stopping' });
  const [ready, alive, tool] = [
    await gateway.send('/readyz'),
    await gateway.send('/healthz'),
    await gateway.send('/tools/calc_metrics', { authorization: gateway.user }),
  ];
  expect([ready.status, alive.status, tool.status]).toEqual([503, 200, 200]);
  for (const { headers } of [ready, alive, tool]) expect(headers['connection']).toBe('close');
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  // No worker runs: nothing but the end of the gateway ended it.
  expect(text).not.toContain('event: tool_result');
  await closed;
  await expect(gateway.send('/healthz')).rejects.toThrow('ECONNREFUSED');
});

test('A store that fails to close does not keep the others open', async () => {
  await using gateway = await TestHttpGateway.start();
  const { database, redis } = gateway.app.get(Stores);
  const disconnect = database.$disconnect.bind(database);
  database.$disconnect = async () => {
    await disconnect();
    throw new Error('the database is away');
  };
  await gateway.app.close();
  await eventually(() => redis.status === 'end', { withinMs: 2_000, what: 'the connection to Redis closed' });
});

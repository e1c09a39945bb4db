import { request } from 'node:http';
import { expect, test } from '@jest/globals';
import { fastify } from 'fastify';
import { disconnected } from './query.js';

test.each(['before', 'after'] as const)('A client that leaves %s anybody asks is gone', async (when) => {
  await using app = fastify();
  const left = Promise.withResolvers<boolean>();
  app.get('/', async (_, reply) => {
    const close = new Promise((resolve) => reply.raw.once('close', resolve));
    const early = when === 'after' ? disconnected(reply) : null;
    client.destroy();
    await close;
    left.resolve((early ?? disconnected(reply)).aborted);
    return {};
  });
  const client = request(await app.listen(), { agent: false });
  client.on('error', () => undefined).end();
  expect(await left.promise).toBe(true);
});

test.each([
  ['has its answer', false],
  ['was cut off', true],
])('A client that %s is gone: %s', async (_what, isCutOff) => {
  await using app = fastify();
  app.decorateRequest('facts');
  app.addHook('onRequest', async (asked) => {
    Object.assign(asked, { facts: { isCutOff } });
  });
  const left = Promise.withResolvers<AbortSignal>();
  app.get('/', async (_, reply) => {
    left.resolve(disconnected(reply));
    return {};
  });
  const response = await fetch(await app.listen());
  await response.text();
  await new Promise(setImmediate);
  expect((await left.promise).aborted).toBe(isCutOff);
});

// Calls of outside tools whose connection is cut, or is still being made.
import type { Duplex } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { eventually } from '#lib/testing';
import type { UpstreamServices } from './services.js';
import { call, callUntil, openServices, register, tool, withServer, withStores } from './test-upstreams.js';

withStores();

describe('a call', () => {
  describe.each(['mcp', 'rest'] as const)('to a server of %s whose connection is cut', (shape) => {
    test.each([
      ['is tried again where a second call has no second effect', true],
      ['is not tried again where it may have run', false],
    ])('%s', async (_what, idempotentHint) => {
      await using services = openServices({}, 60_000);
      await using at = await withServer(shape);
      at.server.tools = [tool('steady', { annotations: { idempotentHint } })];
      await register(services, { name: at.name, url: at.url });
      await call(services, at.name, 'steady');
      at.server.before = (request) => (request.socket.resetAndDestroy(), true);
      expect(await call(services, at.name, 'steady')).toMatchObject({ kind: 'failed', failure: 'network', retryable: idempotentHint });
    });

    test('before the call is tried again, whatever the call does', async () => {
      await using services = openServices({}, 60_000);
      await using at = await withServer(shape);
      await register(services, { name: at.name, url: at.url });
      at.server.before = (request) => (request.socket.resetAndDestroy(), true);
      expect(await call(services, at.name, 'steady')).toMatchObject({ kind: 'failed', failure: 'network', retryable: true });
    });
  });

  describe('on a connection that is still being made', () => {
    /** A server that holds its first answer back. */
    async function withHeldServer(services: UpstreamServices) {
      const at = await withServer();
      await register(services, { name: at.name, url: at.url });
      const held: Duplex[] = [];
      at.server.before = ({ socket }) => held.push(socket) > 0;
      return { ...at, held };
    }

    test('is not ended by another caller who leaves', async () => {
      await using services = openServices();
      await using at = await withHeldServer(services);
      const leaving = new AbortController();
      const left = callUntil(services, { server: at.name, name: 'steady', stop: leaving.signal });
      await eventually(() => at.held.length > 0);
      const find = services.servers.find.bind(services.servers);
      let isFound = false;
      services.servers.find = async (...asked) => find(...asked).finally(() => (isFound = true));
      const waiting = call(services, at.name, 'steady');
      await eventually(() => isFound);
      leaving.abort();
      expect(await left).toMatchObject({ kind: 'stopped' });
      at.server.before = ({ socket }) => Boolean(socket.destroy());
      for (const socket of at.held) socket.destroy();
      expect(await waiting).toMatchObject({ kind: 'failed', failure: 'network', retryable: true });
    });

    test('ends it when it was the last one that waited for it', async () => {
      await using services = openServices();
      await using at = await withHeldServer(services);
      const leaving = new AbortController();
      const left = callUntil(services, { server: at.name, name: 'steady', stop: leaving.signal });
      await eventually(() => at.held.length > 0);
      leaving.abort();
      expect(await left).toMatchObject({ kind: 'stopped' });
      await eventually(() => at.held.every(({ destroyed }) => destroyed));
      at.server.before = () => false;
      expect(await call(services, at.name, 'steady')).toMatchObject({ kind: 'done' });
    });
  });
});

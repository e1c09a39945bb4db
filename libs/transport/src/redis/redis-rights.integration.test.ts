import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { eventually, givenStores } from '#lib/testing';
import { watchRights } from './redis-rights.js';
import { requestConnection } from './connections.js';

test('A question about rights that fails, while the connection stands, is asked again', async () => {
  const { hostname, port, pathname } = new URL(givenStores().redisUrl);
  let connections = 0;
  // The second connection, which asks for the first time, breaks.
  const proxy = createServer((socket) => {
    if (++connections === 2) return void socket.destroy();
    const onward = connect(Number(port), hostname);
    socket.pipe(onward).pipe(socket);
    for (const end of [socket, onward]) end.on('error', () => undefined);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port: proxied } = proxy.address() as AddressInfo;
  const redis = requestConnection({ REDIS_URL: `redis://127.0.0.1:${proxied}${pathname}` });
  const faults: unknown[] = [];
  try {
    await watchRights(
      redis,
      { keys: ['{rights}:test'], channels: [] },
      { onMissing: () => undefined, onFault: (error) => faults.push(error) },
    );
    expect(faults).toHaveLength(1);
    await eventually(() => connections > 2, { what: 'the second question' });
  } finally {
    redis.disconnect();
    proxy.close();
  }
});

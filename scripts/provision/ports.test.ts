import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from '@jest/globals';
import { isPortFree, pickPort } from './ports.js';

async function occupied() {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return { port: typeof address === 'object' && address ? address.port : 0, [Symbol.dispose]: () => void server.close() };
}

test('a port that is listened on is not free; afterwards it is', async () => {
  const server = await occupied();
  expect(await isPortFree(server.port)).toBe(false);
  server[Symbol.dispose]();
  expect(await isPortFree(server.port)).toBe(true);
});

test('the preferred port is picked while it is free, else another one', async () => {
  using taken = await occupied();
  const free = await pickPort();
  expect(await pickPort(free)).toBe(free);
  const other = await pickPort(taken.port);
  expect(other).not.toBe(taken.port);
  expect(await isPortFree(other)).toBe(true);
});

test('an address that this machine does not have has no free port', async () => {
  expect(await isPortFree(0, '192.0.2.1')).toBe(false);
});

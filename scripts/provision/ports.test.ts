import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '#lib/command-line';
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
  const free = await occupied();
  free[Symbol.dispose]();
  expect(await pickPort(free.port)).toBe(free.port);
  using taken = await occupied();
  const other = await pickPort(taken.port);
  expect(other).not.toBe(taken.port);
  expect(await isPortFree(other)).toBe(true);
});

test('a port is picked once, however often it is asked for at the same time', async () => {
  const [first = 0, ...rest] = await Promise.all(Array.from({ length: 20 }, async () => pickPort(31_010)));
  expect(new Set([first, ...rest]).size).toBe(20);
  expect(await pickPort(first)).not.toBe(first);
});

test('another process that runs picks none of these ports, and one that has ended keeps none', async () => {
  const program = `import { pickPort } from ${JSON.stringify(join(root, 'dist/scripts/provision/ports.js'))};
    const ports = []; for (let n = 0; n < 5; n++) ports.push(await pickPort(31_200));
    console.log(JSON.stringify(ports)); setInterval(() => undefined, 1_000);`;
  const start = async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(child.stdout, 'data');
    const ports: number[] = JSON.parse(String(line));
    const end = async () => {
      child.kill('SIGKILL');
      await once(child, 'close');
    };
    return { ports, [Symbol.asyncDispose]: end };
  };
  const picked: number[] = [];
  {
    await using one = await start();
    await using other = await start();
    picked.push(...one.ports, ...other.ports);
    expect(new Set(picked).size).toBe(10);
    expect(picked).not.toContain(await pickPort(31_200));
  }
  await using again = await start();
  const { ports } = again;
  expect(picked).toEqual(expect.arrayContaining([...ports]));
});

test('an address that this machine does not have has no free port', async () => {
  expect(await isPortFree(0, '192.0.2.1')).toBe(false);
});

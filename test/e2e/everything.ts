// The server with which the project of the protocol shows all of it, over HTTP on a free port.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { eventually } from '#lib/testing';

export async function startEverything(): Promise<AsyncDisposable & { readonly url: string }> {
  const port = await freePort();
  const server = spawn(process.execPath, ['node_modules/@modelcontextprotocol/server-everything/dist/index.js', 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${port}/mcp`;
  await eventually(async () => (await fetch(url).catch(() => null)) !== null, { withinMs: 30_000, what: 'server-everything' });
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      if (server.exitCode !== null) return;
      server.kill();
      await once(server, 'exit');
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || !address) throw new Error('no port');
  return address.port;
}

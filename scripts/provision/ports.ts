import { createServer } from 'node:net';

export async function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return (await listen(port, host)) !== undefined;
}

/** The preferred port, or any free one. */
export async function pickPort(preferred = 0): Promise<number> {
  const port = (await listen(preferred, '127.0.0.1')) ?? (await listen(0, '127.0.0.1'));
  if (port === undefined) throw new Error('no free port on 127.0.0.1');
  return port;
}

function listen(port: number, host: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(undefined);
    });
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      server.close(() => {
        resolve(typeof address === 'object' && address ? address.port : undefined);
      });
    });
  });
}

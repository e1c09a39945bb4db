// HAProxy with the configuration of the deployment, in front of gateways of this machine.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '#lib/command-line';
import { ManagedProcess } from '../../scripts/managed-process.js';
import { toolOf } from '../../scripts/ops/check-files.js';
import { pickPort } from '../../scripts/provision/ports.js';

export interface Balancer extends AsyncDisposable {
  readonly url: string;
}

/**
 * Starts it; ready when it lets requests through.
 * @param servers addresses of the gateways
 * @param folder for its configuration and its log
 */
export async function startBalancer(servers: readonly string[], folder: string): Promise<Balancer> {
  const port = await pickPort();
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, configuration(servers, port));
  const url = `http://127.0.0.1:${port}`;
  const balancer = new ManagedProcess({
    name: 'haproxy',
    command: toolOf('haproxy', 'haproxy'),
    args: ['-db', '-f', file],
    cwd: folder,
    port,
    logFile: join(folder, 'haproxy.log'),
    isNode: false,
    stopMs: 5_000,
    isReady: async () => (await fetch(`${url}/readyz`).catch(() => null))?.ok ?? false,
  });
  await balancer.start();
  return { url, [Symbol.asyncDispose]: () => balancer.stop() };
}

/**
 * That of `ops/haproxy.cfg`, with these servers, fewer connections (a shell may open few files), and without its retries: they would hide
 * requests that reach a closed port.
 */
function configuration(servers: readonly string[], port: number): string {
  const text = readFileSync(join(root, 'ops/haproxy.cfg'), 'utf8');
  const lines = servers.map((url, index) => `  server gateway${index + 1} ${new URL(url).host}`);
  return text
    .replace(/^resolvers docker\n( .*\n)*/m, '')
    .replace(/^ {2}server-template .*$/m, lines.join('\n'))
    .replace(/^ {2}bind .*$/m, `  bind 127.0.0.1:${port}`)
    .replace(/^ {2}maxconn .*$/m, '  maxconn 1000')
    .replace(/^ {2}retries .*$/m, '  retries 0')
    .replace(/^ {2}option redispatch$/m, '  no option redispatch');
}

import { createServer, type Server } from 'node:http';
import { metrics } from '#lib/platform';

/**
 * Metrics on a port of their own, without a credential, for a Prometheus in the same private network. The public port asks
 * for a key.
 */
export function serveMetrics(port: number, host: string): Server {
  return createServer((request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end();
    metrics.metrics().then(
      (text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  }).listen(port, host);
}

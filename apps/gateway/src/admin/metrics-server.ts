import { createServer, type Server } from 'node:http';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { metrics } from '#lib/platform';
import { Infrastructure } from '../infrastructure/infrastructure.js';

/**
 * Metrics on a port of their own (`METRICS_PORT`), without a credential, for a Prometheus in the same private network. The
 * public port asks for a key.
 */
@Injectable()
export class MetricsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #settings: Pick<Infrastructure['settings'], 'METRICS_PORT' | 'HOST'>;
  #server: Server | null = null;

  constructor({ settings }: Infrastructure) {
    this.#settings = settings;
  }

  onApplicationBootstrap(): void {
    const { METRICS_PORT, HOST } = this.#settings;
    if (METRICS_PORT !== undefined) this.#server = createMetricsServer().listen(METRICS_PORT, HOST);
  }

  onApplicationShutdown(): void {
    this.#server?.close();
  }
}

/** Answers `/metrics` and nothing else. */
function createMetricsServer(): Server {
  return createServer((request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end();
    metrics.metrics().then(
      (text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
}

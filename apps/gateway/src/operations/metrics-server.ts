import { createServer, type Server } from 'node:http';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Stores } from '../stores.js';
import { GatewayMetrics } from './gateway-metrics.js';

/**
 * Metrics on a port of their own (`METRICS_PORT`), without a credential, for a Prometheus in the same private network. The
 * public port asks for a key.
 */
@Injectable()
export class MetricsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  #server: Server | null = null;

  constructor(
    private readonly stores: Stores,
    private readonly metrics: GatewayMetrics,
  ) {}

  onApplicationBootstrap(): void {
    const { METRICS_PORT, HOST } = this.stores.settings;
    if (METRICS_PORT !== undefined) this.#server = createMetricsServer(this.metrics).listen(METRICS_PORT, HOST);
  }

  onApplicationShutdown(): void {
    this.#server?.close();
  }
}

/** Answers `/metrics` and nothing else. */
function createMetricsServer(metrics: GatewayMetrics): Server {
  return createServer((request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end();
    metrics.text().then(
      (text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
}

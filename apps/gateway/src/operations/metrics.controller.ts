import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Route } from '../http/route.js';
import { GatewayMetrics } from './gateway-metrics.js';

@Controller()
export class MetricsController {
  constructor(private readonly shown: GatewayMetrics) {}

  /** For administrators and for Prometheus, which sends a key as its bearer token. */
  @Route({
    access: 'admin',
    points: 5,
    docs: { id: 'metrics', summary: 'Prometheus metrics; administrators only', tag: 'operations', media: 'text/plain' },
  })
  @Get('metrics')
  async metrics(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    void reply.header('content-type', this.shown.contentType);
    return this.shown.text();
  }
}

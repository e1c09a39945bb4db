import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { metrics } from '#lib/platform';
import { Route } from '../http/route.js';
import { Readiness } from './readiness.js';

@Controller()
export class HealthController {
  readonly #readiness: Readiness;

  constructor(readiness: Readiness) {
    this.#readiness = readiness;
  }

  @Route({ access: 'open', docs: { id: 'alive', summary: 'Is the process alive', tag: 'operations' } })
  @Get('healthz')
  alive(): object {
    return { status: 'alive' };
  }

  @Route({ access: 'open', docs: { id: 'ready', summary: 'Are its stores there', tag: 'operations' } })
  @Get('readyz')
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const health = await this.#readiness.check();
    void reply.status(health.status === 'ready' ? 200 : 503);
    return health;
  }

  /** For administrators and for Prometheus, which sends a key as its bearer token. */
  @Route({
    access: 'admin',
    docs: { id: 'metrics', summary: 'Prometheus metrics; administrators only', tag: 'operations', media: 'text/plain' },
  })
  @Get('metrics')
  async metrics(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    void reply.header('content-type', metrics.contentType);
    return metrics.metrics();
  }
}

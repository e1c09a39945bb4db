import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { checkHealth, type HealthCheck, metrics } from '#lib/platform';
import { Route } from '../http/route.js';

/** The gateway's own state and its dependencies'. */
export class Probe {
  readonly checks: Readonly<Record<string, HealthCheck>>;
  stopping = false;

  constructor(checks: Readonly<Record<string, HealthCheck>>) {
    this.checks = checks;
  }
}

@Controller()
export class HealthController {
  readonly #probe: Probe;

  constructor(probe: Probe) {
    this.#probe = probe;
  }

  @Route({ access: 'open', docs: { id: 'alive', summary: 'Is the process alive', tag: 'operations' } })
  @Get('healthz')
  alive(): object {
    return { status: 'alive' };
  }

  @Route({ access: 'open', docs: { id: 'ready', summary: 'Are its stores there', tag: 'operations' } })
  @Get('readyz')
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const health = await checkHealth(this.#probe.checks, this.#probe.stopping);
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

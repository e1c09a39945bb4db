import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { checkHealth, type HealthCheck, metrics } from '#lib/platform';
import { requireScope } from '../callers/guard.js';

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

  @Get('healthz')
  alive(): object {
    return { status: 'alive' };
  }

  @Get('readyz')
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const health = await checkHealth(this.#probe.checks, this.#probe.stopping);
    void reply.status(health.status === 'ready' ? 200 : 503);
    return health;
  }

  /** For administrators and for Prometheus, which sends a key as its bearer token. */
  @Get('metrics')
  async metrics(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    requireScope(request, 'admin');
    void reply.header('content-type', metrics.contentType);
    return metrics.metrics();
  }
}

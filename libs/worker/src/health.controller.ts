import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { checkHealth, type HealthCheck, metrics } from '#lib/platform';

export const workerProbe = Symbol('worker-probe');

export interface WorkerProbe {
  readonly domain: string;
  readonly checks: Readonly<Record<string, HealthCheck>>;
  readonly isAlive: () => boolean;
  readonly isStopping: () => boolean;
}

@Controller()
export class HealthController {
  readonly #probe: WorkerProbe;

  constructor(@Inject(workerProbe) probe: WorkerProbe) {
    this.#probe = probe;
  }

  /** Alive: the process answers and its queue loop runs. */
  @Get('healthz')
  alive(@Res({ passthrough: true }) reply: FastifyReply): object {
    const alive = this.#probe.isAlive();
    void reply.status(alive ? 200 : 503);
    return { status: alive ? 'alive' : 'not-alive', domain: this.#probe.domain };
  }

  /** Ready: every dependency answers. */
  @Get('readyz')
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const health = await checkHealth(this.#probe.checks, this.#probe.isStopping());
    void reply.status(health.status === 'ready' ? 200 : 503);
    return health;
  }

  @Get('metrics')
  async metrics(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    void reply.header('content-type', metrics.contentType);
    return metrics.metrics();
  }
}

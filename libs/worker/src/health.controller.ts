import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { checkHealth, metrics } from '#lib/platform';
import { WorkerHealth } from './worker-health.js';

@Controller()
export class HealthController {
  readonly #health: WorkerHealth;

  constructor(@Inject(WorkerHealth) health: WorkerHealth) {
    this.#health = health;
  }

  /** Alive: the process answers and its queue loop runs. */
  @Get('healthz')
  alive(@Res({ passthrough: true }) reply: FastifyReply): object {
    const { isAlive, domain } = this.#health;
    void reply.status(isAlive ? 200 : 503);
    return { status: isAlive ? 'alive' : 'not-alive', domain };
  }

  /** Ready: it takes jobs, and every dependency answers. */
  @Get('readyz')
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const health = await checkHealth(this.#health.checks, !this.#health.takesJobs);
    void reply.status(health.status === 'ready' ? 200 : 503);
    return health;
  }

  @Get('metrics')
  async metrics(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    void reply.header('content-type', metrics.contentType);
    return metrics.metrics();
  }
}

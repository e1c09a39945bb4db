import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { checkHealth } from '#lib/platform';
import type { Metrics } from '#lib/transport';
import { Infrastructure } from './infrastructure.js';
import { WorkerHealth } from './worker-health.js';

@Controller()
export class HealthController {
  readonly #health: WorkerHealth;
  readonly #metrics: Metrics;

  constructor(@Inject(WorkerHealth) health: WorkerHealth, @Inject(Infrastructure) { metrics }: Infrastructure) {
    this.#metrics = metrics;
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
    void reply.header('content-type', this.#metrics.contentType);
    return this.#metrics.text();
  }
}

import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { checkHealth } from '#lib/platform';
import { Infrastructure } from './infrastructure.js';
import { WorkerHealth } from './worker-health.js';

@Controller()
export class HealthController {
  constructor(
    @Inject(WorkerHealth) private readonly health: WorkerHealth,
    @Inject(Infrastructure) private readonly infrastructure: Infrastructure,
  ) {}

  /** Alive: the process answers and its queue loop runs. */
  @Get('healthz')
  alive(@Res({ passthrough: true }) reply: FastifyReply): object {
    const { isAlive, domain } = this.health;
    void reply.status(isAlive ? 200 : 503);
    return { status: isAlive ? 'alive' : 'not-alive', domain };
  }

  /** Ready: it takes jobs, and every dependency answers. */
  @Get('readyz')
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const health = await checkHealth(this.health.checks, !this.health.takesJobs);
    void reply.status(health.status === 'ready' ? 200 : 503);
    return health;
  }

  @Get('metrics')
  async metrics(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    const { metrics } = this.infrastructure;
    void reply.header('content-type', metrics.contentType);
    return metrics.text();
  }
}

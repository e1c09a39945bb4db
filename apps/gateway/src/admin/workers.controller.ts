import { Controller, Get, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { hasScope, type WorkerList } from '#lib/contracts';
import { callerOf } from '../callers/authentication.js';
import { Route } from '../http/route.js';
import { OwnDomains } from './own-domains.js';
import { QueueStates } from './queue-states.js';

@Controller('admin/workers')
export class WorkersController {
  readonly #queues: QueueStates;
  readonly #own: OwnDomains;

  constructor(queues: QueueStates, own: OwnDomains) {
    this.#queues = queues;
    this.#own = own;
  }

  @Route({
    access: 'tenant:admin',
    docs: {
      id: 'listWorkers',
      summary:
        "The worker processes that were heard of in the last 15 seconds, and the domains of tenants' own workers; with the scope tenant:admin those of the tenant alone",
      tag: 'operations',
    },
  })
  @Get()
  async list(@Req() request: FastifyRequest): Promise<WorkerList> {
    const caller = callerOf(request);
    if (!hasScope(caller, 'admin')) return { own_domains: this.#own.list(caller.tenantId), workers: [] };
    return { own_domains: this.#own.list(), workers: await this.#queues.workers() };
  }
}

import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Route } from '../http/route.js';
import { Stores } from '../stores.js';
import { OwnDomains } from '../records/own-domains.js';
import { QueueStates } from '../records/queue-states.js';
import { FlowDirectory } from '../rules/flow/flow-directory.js';
import { PauseDirectory } from '../rules/flow/pause-directory.js';
import { Readiness } from './readiness.js';

@Controller()
export class HealthController {
  constructor(
    private readonly readiness: Readiness,
    private readonly queues: QueueStates,
    private readonly own: OwnDomains,
    private readonly pauses: PauseDirectory,
    private readonly flows: FlowDirectory,
    private readonly stores: Stores,
  ) {}

  @Route({ access: 'open', points: 0, docs: { id: 'alive', summary: 'Is the process alive', tag: 'operations' } })
  @Get('healthz')
  alive(): object {
    return { status: 'alive' };
  }

  @Route({
    access: 'open',
    docs: { id: 'ready', summary: 'Are its stores there, and which domains does no worker serve', tag: 'operations' },
  })
  @Get('readyz')
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const health = await this.readiness.check();
    void reply.status(health.status === 'ready' ? 200 : 503);
    // A gateway is ready without workers: it accepts calls, and they wait.
    const unserved = health.dependencies['redis']?.state === 'up' ? await this.#unserved() : null;
    // Numbers alone: whose they are is for those who have a key.
    return {
      ...health,
      pauses: this.pauses.all.length,
      flows: this.flows.all.length,
      ...(unserved && { unserved_domains: unserved, own_domains: this.own.counts }),
    };
  }

  /** Domains whose tools are listed and no worker runs; null when Redis has gone in this moment, of which the next probe tells. */
  async #unserved(): Promise<readonly string[] | null> {
    return this.queues.unserved(this.stores.settings.DOMAINS).catch(() => null);
  }
}

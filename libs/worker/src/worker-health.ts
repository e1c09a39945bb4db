import { Inject, Injectable } from '@nestjs/common';
import type { HealthCheck } from '#lib/platform';
import { checkRedis } from '#lib/transport';
import { Infrastructure } from './infrastructure.js';
import { ToolServer, type ToolServerStatus } from './tool-server.js';
import { openedServices, type OpenedServices } from './worker-definition.js';

/** What readiness and liveness answer: the status of the transport strategy, and the worker's dependencies. */
@Injectable()
export class WorkerHealth {
  readonly domain: string;
  readonly checks: Readonly<Record<string, HealthCheck>>;
  #status: ToolServerStatus = 'starting';

  constructor(
    @Inject(Infrastructure) { domain, partitions, probe, keys, needed }: Infrastructure,
    @Inject(ToolServer) private readonly server: Pick<ToolServer<object>, 'status' | 'isRunning'>,
    @Inject(openedServices) { checks }: Pick<OpenedServices<object>, 'checks'>,
  ) {
    this.domain = domain.name;
    const redis = () => checkRedis(probe, { keys, partitions: partitions.all(domain.name), needed });
    this.checks = { redis, ...checks };
    server.status.subscribe((status) => (this.#status = status));
  }

  /** Waiting for a Redis that is not there yet is being alive; a queue loop that has stopped is not. */
  get isAlive(): boolean {
    return this.#status === 'starting' || this.server.isRunning;
  }

  /** Whether the worker takes jobs; its dependencies may still be down. */
  get takesJobs(): boolean {
    return this.#status === 'running';
  }
}

import type { HealthCheck } from '#lib/platform';
import type { Domain } from '#lib/contracts';
import type { ToolServer, ToolServerStatus } from './tool-server.js';

interface WorkerHealthParts {
  readonly server: Pick<ToolServer<object>, 'status' | 'isRunning'>;
  readonly checks: Readonly<Record<string, HealthCheck>>;
}

/** What readiness and liveness answer: the status of the transport strategy, and the worker's dependencies. */
export class WorkerHealth {
  readonly domain: string;
  readonly checks: Readonly<Record<string, HealthCheck>>;
  readonly #server: WorkerHealthParts['server'];
  #status: ToolServerStatus = 'starting';

  constructor(domain: Domain, { server, checks }: WorkerHealthParts) {
    this.domain = domain.name;
    this.checks = checks;
    this.#server = server;
    server.status.subscribe((status) => (this.#status = status));
  }

  /** Waiting for a Redis that is not there yet is being alive; a queue loop that has stopped is not. */
  get isAlive(): boolean {
    return this.#status === 'starting' || this.#server.isRunning;
  }

  /** Whether the worker takes jobs; its dependencies may still be down. */
  get takesJobs(): boolean {
    return this.#status === 'running';
  }
}

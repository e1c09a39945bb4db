import type { BeforeApplicationShutdown, OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { runInOrder, spanSink } from '#lib/platform';
import type { Heartbeat } from './heartbeat.js';
import type { Infrastructure } from './infrastructure.js';
import type { ToolServer } from './tool-server.js';

interface WorkerLifecycleParts {
  readonly infrastructure: Infrastructure;
  readonly server: ToolServer<object>;
  readonly heartbeat: Heartbeat;
  readonly closeServices: () => Promise<void>;
}

/**
 * The order in which a worker stops. The queue is drained while the HTTP port still answers, so that readiness says so; then
 * Nest closes the port; then the services close, as no attempt runs any more; the connections close last.
 */
export class WorkerLifecycle implements OnModuleInit, BeforeApplicationShutdown, OnApplicationShutdown {
  readonly #parts: WorkerLifecycleParts;
  #detachSpans: () => void = () => undefined;

  constructor(parts: WorkerLifecycleParts) {
    this.#parts = parts;
  }

  onModuleInit(): void {
    // Traces are best effort: while Redis is away they are dropped.
    this.#detachSpans = spanSink.attach((spans) => this.#parts.infrastructure.traces.append(spans));
    this.#parts.infrastructure.callListWriter.start();
    this.#parts.infrastructure.activityWriter.start();
    this.#parts.infrastructure.errorWriter.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await runInOrder(
      [
        ['queue', () => this.#parts.server.close()],
        ['heartbeat', () => this.#parts.heartbeat.stop()],
      ],
      this.#parts.infrastructure.log,
    );
  }

  async onApplicationShutdown(): Promise<void> {
    const { infrastructure, closeServices } = this.#parts;
    await runInOrder(
      [
        ['services', closeServices],
        ['lists of calls', () => infrastructure.callListWriter.stop()],
        ['activity', () => infrastructure.activityWriter.stop()],
        ['errors', () => infrastructure.errorWriter.stop()],
        ['traces', () => spanSink.flush()],
        ['spans', () => this.#detachSpans()],
      ],
      infrastructure.log,
    );
  }
}

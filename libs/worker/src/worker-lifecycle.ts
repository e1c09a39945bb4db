import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { runInOrder, spanSink } from '#lib/platform';
import { Heartbeat } from './heartbeat.js';
import { Infrastructure } from './infrastructure.js';
import { ToolServer } from './tool-server.js';
import { openedServices, type OpenedServices } from './worker-definition.js';

/**
 * The order in which a worker stops. The queue is drained while the HTTP port still answers, so that readiness says so; then
 * Nest closes the port; then the services close, as no attempt runs any more; the connections close last.
 */
@Injectable()
export class WorkerLifecycle implements OnModuleInit, BeforeApplicationShutdown, OnApplicationShutdown {
  #detachSpans: () => void = () => undefined;

  constructor(
    @Inject(Infrastructure) private readonly infrastructure: Infrastructure,
    @Inject(ToolServer) private readonly server: ToolServer<object>,
    @Inject(Heartbeat) private readonly heartbeat: Heartbeat,
    @Inject(openedServices) private readonly opened: Pick<OpenedServices<object>, 'close'>,
  ) {}

  onModuleInit(): void {
    // Traces are best effort: while Redis is away they are dropped.
    this.#detachSpans = spanSink.attach((spans) => this.infrastructure.traces.append(spans));
    this.infrastructure.callListWriter.start();
    this.infrastructure.activityWriter.start();
    this.infrastructure.errorWriter.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await runInOrder(
      [
        ['queue', () => this.server.close()],
        ['heartbeat', () => this.heartbeat.stop()],
      ],
      this.infrastructure.log,
    );
  }

  async onApplicationShutdown(): Promise<void> {
    const { infrastructure, opened } = this;
    await runInOrder(
      [
        ['services', () => opened.close()],
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

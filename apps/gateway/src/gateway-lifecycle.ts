import { setTimeout } from 'node:timers/promises';
import { Injectable, type BeforeApplicationShutdown, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { runInOrder, spanSink } from '#lib/platform';
import { Readiness } from './operations/readiness.js';
import { EventStreams } from './http/event-streams.js';
import { Stores } from './stores.js';
import { Limits } from './calls/limits.js';
import { McpDoor } from './doors/mcp/door.js';
import { ServingHub } from './serving/serving-hub.js';

/**
 * The order in which a gateway stops. Everything before Nest closes the HTTP port happens while requests are still answered;
 * the stores close after the last answer.
 */
@Injectable()
export class GatewayLifecycle implements OnModuleInit, BeforeApplicationShutdown, OnApplicationShutdown {
  #detachSpans: () => void = () => undefined;

  constructor(
    private readonly stores: Stores,
    private readonly readiness: Readiness,
    private readonly streams: EventStreams,
    private readonly mcp: McpDoor,
    private readonly limits: Limits,
    private readonly serving: ServingHub,
  ) {}

  onModuleInit(): void {
    this.serving.start();
    // Traces are best effort: while Redis is away they are dropped.
    this.#detachSpans = spanSink.attach((spans) => this.stores.traces.append(spans));
  }

  async beforeApplicationShutdown(): Promise<void> {
    const { settings, log } = this.stores;
    await runInOrder(
      [
        ['readiness', () => this.readiness.stop()],
        // Load balancers and clients notice it while everything is still answered, with `Connection: close`.
        ['notice', () => setTimeout(settings.NOTICE_MS)],
        // While their results can still come in.
        ['workers of tenants', () => this.serving.stop()],
        // Readers of streams resume at another gateway with their last event id.
        ['streams', () => this.streams.closeAll()],
        ['mcp', () => this.mcp.close()],
      ],
      log,
    );
  }

  async onApplicationShutdown(): Promise<void> {
    const {
      clock,
      partitions,
      followers,
      outside,
      servedDirectory,
      contractChecks,
      callListWriter,
      activityWriter,
      errorWriter,
      database,
      redis,
      subscriber,
      log,
    } = this.stores;
    await runInOrder(
      [
        ['limits', () => this.limits.stop()],
        ['clock', () => clock.stop()],
        ['partitions', () => partitions.stop()],
        ['followers', () => followers.stop()],
        ['outside tools', () => outside.stop()],
        ['served tools', () => servedDirectory.stop()],
        ['checks of contracts', () => contractChecks.close()],
        ['lists of calls', () => callListWriter.stop()],
        ['activity', () => activityWriter.stop()],
        ['errors', () => errorWriter.stop()],
        ['database', () => database.$disconnect()],
        ['traces', () => spanSink.flush()],
        ['spans', () => this.#detachSpans()],
        ['redis', () => [redis, subscriber].forEach((client) => client.disconnect())],
      ],
      log,
    );
  }
}

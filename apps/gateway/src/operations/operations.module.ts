import { Module } from '@nestjs/common';
import { checkRedis } from '#lib/transport';
import { FlowModule } from '../rules/flow/flow.module.js';
import { StreamsModule } from '../http/streams.module.js';
import { ActivityModule } from '../records/activity.module.js';
import { Stores } from '../stores.js';
import { GatewayMetrics } from './gateway-metrics.js';
import { HealthController } from './health.controller.js';
import { MetricsController } from './metrics.controller.js';
import { MetricsServer } from './metrics-server.js';
import { QueueSignals } from './queue-signals.js';
import { Readiness } from './readiness.js';
import { SettingsController } from './settings.controller.js';
import { WorkersController } from './workers.controller.js';

@Module({
  imports: [ActivityModule, StreamsModule, FlowModule],
  controllers: [HealthController, MetricsController, WorkersController, SettingsController],
  providers: [
    QueueSignals,
    GatewayMetrics,
    MetricsServer,
    // Checks are functions by the name of what they check.
    {
      provide: Readiness,
      inject: [Stores],
      useFactory: ({ redis, keys, needs, settings, followers, database, outside, partitions }: Stores) =>
        new Readiness({
          // What is wrong with Redis is also why nothing was subscribed.
          redis: async () => {
            const served = settings.DOMAINS.flatMap((name) => partitions.all(name));
            await checkRedis(redis, { keys, partitions: served, needed: needs.keys });
            if (!followers.isSubscribed) throw new Error('not subscribed yet');
          },
          // Before, calls of outside tools would be refused as unknown.
          postgres: () => (outside.isRead ? database.$queryRaw`SELECT 1` : Promise.reject(new Error('outside tools not read yet'))),
        }),
    },
  ],
  exports: [Readiness],
})
export class OperationsModule {}

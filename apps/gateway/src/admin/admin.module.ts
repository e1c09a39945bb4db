import { Module } from '@nestjs/common';
import { checkRedis } from '#lib/transport';
import { Infrastructure } from '../infrastructure/infrastructure.js';
import { StreamsModule } from '../http/streams.module.js';
import { ActivityController } from './activity.controller.js';
import { GatewayMetrics } from './gateway-metrics.js';
import { HealthController } from './health.controller.js';
import { MetricsController } from './metrics.controller.js';
import { MetricsServer } from './metrics-server.js';
import { Readiness } from './readiness.js';
import { OwnDomains } from './own-domains.js';
import { QueueStates } from './queue-states.js';
import { SettingsController } from './settings.controller.js';
import { WorkersController } from './workers.controller.js';
import { TracesController } from './traces.controller.js';

@Module({
  imports: [StreamsModule],
  controllers: [HealthController, MetricsController, TracesController, ActivityController, WorkersController, SettingsController],
  providers: [
    {
      provide: QueueStates,
      inject: [Infrastructure],
      useFactory: ({ store, partitions, presence, settings }: Infrastructure) =>
        new QueueStates({ store, partitions, presence, bounds: settings }),
    },
    {
      provide: OwnDomains,
      inject: [Infrastructure],
      useFactory: ({ store, servedDirectory, settings }: Infrastructure) =>
        new OwnDomains({ served: servedDirectory, store, bounds: settings }),
    },
    GatewayMetrics,
    MetricsServer,
    {
      provide: Readiness,
      inject: [Infrastructure],
      useFactory: ({ redis, keys, settings, followers, database, outside, partitions }: Infrastructure) =>
        new Readiness({
          // What is wrong with Redis is also why nothing was subscribed.
          redis: async () => {
            const served = settings.DOMAINS.flatMap((name) => partitions.all(name));
            await checkRedis(redis, keys, served);
            if (!followers.isSubscribed) throw new Error('not subscribed yet');
          },
          // Before, calls of outside tools would be refused as unknown.
          postgres: () => (outside.isRead ? database.$queryRaw`SELECT 1` : Promise.reject(new Error('outside tools not read yet'))),
        }),
    },
  ],
  exports: [Readiness],
})
export class AdminModule {}

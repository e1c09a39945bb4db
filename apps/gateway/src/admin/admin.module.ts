import { Module } from '@nestjs/common';
import { Infrastructure } from '../infrastructure/infrastructure.js';
import { HealthController } from './health.controller.js';
import { MetricsServer } from './metrics-server.js';
import { Readiness } from './readiness.js';
import { TracesController } from './traces.controller.js';

@Module({
  controllers: [HealthController, TracesController],
  providers: [
    MetricsServer,
    {
      provide: Readiness,
      inject: [Infrastructure],
      useFactory: ({ redis, followers, database }: Infrastructure) =>
        new Readiness({
          redis: () => (followers.isSubscribed ? redis.ping() : Promise.reject(new Error('not subscribed yet'))),
          postgres: () => database.$queryRaw`SELECT 1`,
        }),
    },
  ],
  exports: [Readiness],
})
export class AdminModule {}

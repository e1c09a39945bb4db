import { Module } from '@nestjs/common';
import { onceASecond } from '#lib/platform';
import { sharedClock } from '#lib/transport';
import { Outbox } from '../outbox/outbox.js';
import { OutboxModule } from '../outbox/outbox.module.js';
import { WebhookTenants } from '../outbox/webhook-tenants.js';
import { ActivityModule } from '../records/activity.module.js';
import { QueueStates } from '../records/queue-states.js';
import { Stores } from '../stores.js';
import { AlertSweeper } from './alert-sweeper.js';

/** What people should look at. */
@Module({
  imports: [ActivityModule, OutboxModule],
  providers: [
    {
      provide: AlertSweeper,
      inject: [Stores, Outbox, WebhookTenants, QueueStates],
      useFactory: (
        { database, store, keys, servedDirectory, settings, log }: Stores,
        outbox: Outbox,
        webhooks: WebhookTenants,
        queues: QueueStates,
      ) =>
        new AlertSweeper({
          database,
          outbox,
          webhooks,
          open: store.open,
          keys,
          unserved: async () => queues.unserved(settings.DOMAINS),
          served: servedDirectory,
          now: sharedClock.now,
          onFault: onceASecond((error: unknown) =>
            log.warn({ event: 'alerts-fault', err: error }, 'it could not be looked at what people should be told; trying again'),
          ),
        }),
    },
  ],
})
export class AlertsModule {}

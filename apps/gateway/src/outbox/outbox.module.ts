import { Module } from '@nestjs/common';
import { onceASecond } from '#lib/platform';
import { sharedClock } from '#lib/transport';
import { Stores } from '../stores.js';
import { Outbox } from './outbox.js';
import { WebhookPlaces } from './webhook-places.js';
import { WebhookTenants } from './webhook-tenants.js';

/** Events on their way to webhooks. Whoever has something to tell imports this. */
@Module({
  providers: [
    {
      provide: Outbox,
      inject: [Stores],
      useFactory: ({ settings, hooks, log }: Stores) => {
        const report = onceASecond((fault: { readonly id: string; readonly error: unknown }) =>
          log.warn(
            { event: 'webhook-filter-fault', webhook_id: fault.id, err: fault.error },
            'the filter of a webhook could not be worked out for an event: it is sent',
          ),
        );
        return new Outbox({
          namespace: settings.INVOQ_NAMESPACE,
          url: hooks.url,
          now: sharedClock.now,
          onFault: (id, error) => report({ id, error }),
        });
      },
    },
    WebhookPlaces,
    WebhookTenants,
  ],
  exports: [Outbox, WebhookTenants],
})
export class OutboxModule {}

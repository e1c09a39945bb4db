import { Module } from '@nestjs/common';
import { onceASecond } from '#lib/platform';
import { sharedClock } from '#lib/transport';
import { Stores } from '../stores.js';
import { Outbox } from './outbox.js';
import { readyPlace, WebhookTenants } from './webhook-tenants.js';

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
    {
      provide: WebhookTenants,
      inject: [Stores],
      useFactory: ({ database, settings, redis, subscriber, keys, log }: Stores) =>
        new WebhookTenants({
          store: {
            marks: async () => database.$queryRaw`
              SELECT tenant_id AS "tenantId", count(*)::text || '/' || max(updated_at)::text AS mark FROM webhook
              WHERE namespace = ${settings.INVOQ_NAMESPACE} AND enabled GROUP BY tenant_id`,
            ofTenants: async (tenants) => database.$queryRaw`
              SELECT id, tenant_id AS "tenantId", url FROM webhook
              WHERE namespace = ${settings.INVOQ_NAMESPACE} AND enabled AND tenant_id = ANY(${tenants})`,
          },
          redis,
          subscriber,
          channel: keys.changesOf('webhook'),
          what: 'webhooks',
          ready: readyPlace,
          onFault: onceASecond((error: unknown) =>
            log.warn({ event: 'webhooks-fault', err: error }, 'the tenants with webhooks could not be read; they stay as they were'),
          ),
        }),
    },
  ],
  exports: [Outbox, WebhookTenants],
})
export class OutboxModule {}

import { Module } from '@nestjs/common';
import { Outbox } from './outbox.js';
import { WebhookPlaces } from './webhook-places.js';
import { WebhookTenants } from './webhook-tenants.js';

/** Events on their way to webhooks. Whoever has something to tell imports this. */
@Module({
  providers: [Outbox, WebhookPlaces, WebhookTenants],
  exports: [Outbox, WebhookTenants],
})
export class OutboxModule {}

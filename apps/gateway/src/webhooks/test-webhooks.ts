// Webhooks of a gateway in the process of its test.
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import {
  userScopes,
  webhookDeliveryPage,
  webhookWithSecret,
  type Outcome,
  type WebhookDelivery,
  type WebhookWithSecret,
} from '#lib/contracts';
import { newNamespace, type HttpCaller } from '#lib/testing';
import { DecisionLinks } from '../calls/waiting/decision-links.js';
import { Outbox } from '../outbox/outbox.js';
import { startTestGateway, type TestAttempt, type TestGateway } from '../test-gateway.js';
import { Delivering } from './delivering.js';
import { DeliveryStore } from './delivery-store.js';
import { GuardedPosts } from './guarded-post.js';
import { Tries } from './tries.js';
import { WebhookSender } from './webhook-sender.js';

export const webhookScopes = [...userScopes, 'webhooks'];

const sealingKeys = `k1:${randomBytes(32).toString('base64')}`;
const refused: Outcome = { ok: false, error: { code: 'EXECUTION_ERROR', family: 'EXECUTION_ERROR', message: 'it is broken' } };

/** Jobs of orders that begin with `open` stay open, those with `bad` fail. @param beside the namespace of another gateway, which has the worker */
export async function startHooking(beside?: string, settings: Readonly<Record<string, string>> = {}) {
  const namespace = beside ?? newNamespace();
  const handler = ({ head }: TestAttempt): Outcome | null => {
    const { order } = z.object({ order: z.string() }).parse(head.input);
    if (order.startsWith('open')) return null;
    return order.startsWith('bad') ? refused : { ok: true, data: { made: order } };
  };
  const gateway = await startTestGateway({
    namespace,
    settings: { SEALING_KEYS: sealingKeys, ...settings },
    handler: beside === undefined ? handler : null,
  });
  return Object.assign(gateway, { namespace });
}
export type Hooking = Awaited<ReturnType<typeof startHooking>>;

export async function makeWebhook(by: HttpCaller, body: object): Promise<WebhookWithSecret> {
  const made = await by.post('/webhooks', { events: ['call.completed'], ...body });
  if (made.status !== 201) throw new Error(made.text);
  return made.as(webhookWithSecret);
}

/** Newest first. */
export async function deliveriesOf(by: HttpCaller, id: string, query = ''): Promise<readonly WebhookDelivery[]> {
  return (await by.get(`/webhooks/${id}/deliveries?limit=100${query}`)).as(webhookDeliveryPage).deliveries;
}

/** What sends at a gateway, at a time of the test's own. @param changed of the store */
export function senderOf({ app, stores }: TestGateway, now: number, changed: Partial<DeliveryStore> = {}): WebhookSender {
  const store = Object.assign(new DeliveryStore(stores, app.get(Outbox)), changed);
  const clock = { now: () => now };
  const tries = new Tries(stores, app.get(GuardedPosts), app.get(DecisionLinks), clock);
  return new WebhookSender(stores, store, new Delivering(stores, store, tries, clock), { reseal: async () => 0 }, clock);
}

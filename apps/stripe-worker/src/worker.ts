import { createHmac } from 'node:crypto';
import type { ToolContract } from '#lib/contracts';
import type { WorkerDefinition } from '#lib/worker';
import type { StripeSettings } from './config.js';
import { Merchants } from './platform/merchants.js';
import { PlatformReader } from './platform/platform-reader.js';
import type { StripeServices } from './services.js';
import { Keyring } from './stripe/keyring.js';
import { stripeAt } from './stripe/stripe-api.js';
import * as handlers from './tools/index.js';

/** The worker of the domain `stripe`. @param contracts with the time limits that are set */
export function stripeWorker(settings: StripeSettings, contracts: readonly ToolContract[]): WorkerDefinition<StripeServices> {
  return {
    domain: 'stripe',
    settings,
    contracts,
    handlers: Object.values(handlers),
    open: (log) => {
      const links = { keys: settings.STRIPE_SECRET_KEY, file: settings.STRIPE_SECRET_KEY_FILE };
      const reads = { keys: settings.STRIPE_READ_KEY, file: settings.STRIPE_READ_KEY_FILE };
      const linkKeys = new Keyring(links);
      const readKeys = reads.keys || reads.file ? new Keyring(reads) : linkKeys;
      const stripe = stripeAt({ base: settings.STRIPE_API_BASE, readKeys, linkKeys });
      if ([linkKeys.current(), readKeys.current()].some((key) => key?.startsWith('sk_')))
        log.warn({ event: 'stripe-key' }, 'a Stripe key may do everything; a restricted one (rk_…) is enough, see the runbook');
      const reader = new PlatformReader({
        url: settings.PLATFORM_DATABASE_URL ?? settings.DATABASE_URL,
        poolSize: settings.DATABASE_POOL,
        role: settings.PLATFORM_DATABASE_ROLE,
        statementTimeoutMs: 2_000,
      });
      const merchants = new Merchants(reader);
      const [sealingKey] = settings.SEALING_KEYS;
      return {
        services: {
          stripe,
          merchants,
          loginLinkSeconds: settings.LOGIN_LINK_ASSUMED_TTL,
          pseudonym: (id) =>
            createHmac('sha256', sealingKey?.key ?? '')
              .update(`platform-id\n${id}`)
              .digest('hex')
              .slice(0, 16),
        },
        checks: {
          platform: () => merchants.ping(),
          stripe_key: async () => {
            if (!stripe.isConfigured()) throw new Error('no key');
          },
        },
        close: () => reader.close(),
      };
    },
  };
}

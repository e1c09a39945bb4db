import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { timeoutSettings, tools, withTimeouts } from '#lib/contracts';
import { settingsOrExit, workerSettings } from '#lib/platform';
import { startWorker } from '#lib/worker';
import { Merchants } from './platform/merchants.js';
import { PlatformReader } from './platform/platform-reader.js';
import { Keyring } from './stripe/keyring.js';
import { stripeAt } from './stripe/stripe-api.js';
import * as handlers from './tools/index.js';

const settings = settingsOrExit({
  ...workerSettings,
  STRIPE_API_BASE: z.url({ protocol: /^https?$/ }).default('https://api.stripe.com'),
  /** Restricted keys that may make account links and login links, comma-separated; without STRIPE_READ_KEY they read accounts too. */
  STRIPE_SECRET_KEY: z.string().optional(),
  STRIPE_SECRET_KEY_FILE: z.string().optional(),
  /** Restricted keys that may read accounts and nothing else. */
  STRIPE_READ_KEY: z.string().optional(),
  STRIPE_READ_KEY_FILE: z.string().optional(),
  /** How long a login link is taken to live, in seconds. */
  LOGIN_LINK_ASSUMED_TTL: z.coerce.number().int().min(10).max(3_600).default(300),
  /** The platform's database; the product's own when absent. */
  PLATFORM_DATABASE_URL: z.string().optional(),
  /** What reads of it become; `none` when the address already logs in as a role that can only read. */
  PLATFORM_DATABASE_ROLE: z
    .string()
    .regex(/^[a-z_][a-z0-9_]{0,62}$/, 'must be a plain role name')
    .default('invoq_platform_reader'),
});
const contracts = withTimeouts(tools, settingsOrExit(timeoutSettings(tools)));

await startWorker({
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
});

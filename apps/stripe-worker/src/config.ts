import { z } from 'zod';
import { workerSettings } from '#lib/platform';

export const stripeSettings = {
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
} as const;

export type StripeSettings = z.output<z.ZodObject<typeof stripeSettings>>;

// The three requests that the contracts need. The stripe package gets its API version, idempotency key and HTTP client from us, and
// makes no retries.
import { Failure, type ToolContext } from '#lib/handlers';
import Stripe from 'stripe';
import { z } from 'zod';
import { requestContext, httpClient } from './http-client.js';
import type { Keyring } from './keyring.js';
import { translateStripeError, StripeRefusal } from './stripe-errors.js';

/** Change it deliberately only: the schemas below describe the answers of this version. */
const apiVersion = '2026-10-28.endive';

/** Links to other hosts are not handed out (ST-43). */
const linkHosts = ['connect.stripe.com', 'express.stripe.com', 'dashboard.stripe.com'];

const due = z
  .array(z.string())
  .nullish()
  .transform((list) => list ?? []);
const accountShape = z.object({
  object: z.literal('account'),
  payouts_enabled: z.boolean(),
  charges_enabled: z.boolean(),
  requirements: z
    .object({ currently_due: due, past_due: due, eventually_due: due })
    .nullish()
    .transform((requirements) => requirements ?? { currently_due: [], past_due: [], eventually_due: [] }),
});
const linkUrl = z.string().refine((text) => {
  const url = URL.parse(text);
  return url?.protocol === 'https:' && linkHosts.includes(url.host) && url.username === '' && url.password === '';
});
const seconds = z.int().min(1).max(8_640_000_000);
const accountLinkShape = z.object({ object: z.literal('account_link'), url: linkUrl, expires_at: seconds });
const loginLinkShape = z.object({ object: z.literal('login_link'), url: linkUrl, created: seconds });

export type AccountStatus = Omit<z.output<typeof accountShape>, 'object'>;

export interface AccountLinkRequest {
  readonly account: string;
  readonly returnUrl: string;
  readonly refreshUrl: string;
}

/** The context of one attempt. All attempts of a call share the `effectKey`, which becomes the idempotency key. */
export type AttemptContext = Pick<ToolContext, 'signal' | 'recordUpstreamAnswer' | 'effectKey'>;

/** Every method throws a StripeRefusal or a Failure; neither contains Stripe's own text. */
export interface StripeApi {
  readonly isConfigured: () => boolean;
  readonly readAccount: (id: string, attempt: Pick<AttemptContext, 'signal' | 'recordUpstreamAnswer'>) => Promise<AccountStatus>;
  /** A link for hosted onboarding; `expires_at` in epoch seconds. */
  readonly createAccountLink: (
    wish: AccountLinkRequest,
    attempt: AttemptContext,
  ) => Promise<{ readonly url: string; readonly expires_at: number }>;
  /** A link into the Express Dashboard; `created` in epoch seconds. */
  readonly createLoginLink: (account: string, attempt: AttemptContext) => Promise<{ readonly url: string; readonly created: number }>;
}

interface StripeParts {
  /** `https://api.stripe.com`. */
  readonly base: string;
  /** For reading accounts. */
  readonly readKeys: Keyring;
  /** For making links. */
  readonly linkKeys: Keyring;
}

export function stripeAt({ base, readKeys, linkKeys }: StripeParts): StripeApi {
  const { protocol, hostname, port } = new URL(base);
  const isHttp = protocol === 'http:';
  const stripe = new Stripe('given-with-each-request', {
    apiVersion,
    host: hostname,
    port: port || (isHttp ? 80 : 443),
    protocol: isHttp ? 'http' : 'https',
    maxNetworkRetries: 0,
    telemetry: false,
    httpClient,
  });
  return {
    isConfigured: () => readKeys.current() !== null && linkKeys.current() !== null,
    readAccount: async (id, attempt) => {
      const answer = await withKey(readKeys, attempt, (apiKey) => stripe.accounts.retrieve(id, {}, { apiKey }));
      const { object: _object, ...status } = parseAnswer(accountShape, answer);
      return status;
    },
    createAccountLink: async ({ account, returnUrl, refreshUrl }, attempt) => {
      const wish = { account, type: 'account_onboarding', return_url: returnUrl, refresh_url: refreshUrl };
      const answer = await withKey(linkKeys, attempt, (apiKey) =>
        stripe.accountLinks.create(wish, { apiKey, idempotencyKey: attempt.effectKey }),
      );
      return parseAnswer(accountLinkShape, answer);
    },
    createLoginLink: async (account, attempt) => {
      const answer = await withKey(linkKeys, attempt, (apiKey) =>
        stripe.accounts.createLoginLink(account, {}, { apiKey, idempotencyKey: attempt.effectKey }),
      );
      return parseAnswer(loginLinkShape, answer);
    },
  };
}

async function withKey<T>(
  keys: Keyring,
  { signal, recordUpstreamAnswer }: Pick<AttemptContext, 'signal' | 'recordUpstreamAnswer'>,
  ask: (apiKey: string) => Promise<T>,
): Promise<T> {
  const apiKey = keys.current();
  if (apiKey === null) throw new StripeRefusal('key', 'no Stripe key is configured');
  try {
    return await requestContext.run({ signal, recordUpstreamAnswer }, () => ask(apiKey));
  } catch (error) {
    const fault = translateStripeError(error);
    // A rejected key with a known successor costs one retry and not the call.
    if (fault instanceof StripeRefusal && fault.about === 'key' && keys.reject(apiKey))
      throw new Failure('service', `${fault.message}; the next key is tried`);
    throw fault;
  }
}

/** Parses an answer. Another shape is a fault of the service; a retry is safe, because the idempotency key finds what was created. */
function parseAnswer<Schema extends z.ZodType>(schema: Schema, answer: unknown): z.output<Schema> {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  const paths = parsed.error.issues.map((issue) => issue.path.map(String).join('.')).join(', ');
  throw new Failure('service', `Stripe's answer is not what was asked for: ${paths}`);
}

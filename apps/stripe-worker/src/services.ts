import { handlersWith } from '#lib/handlers';
import type { Merchants } from './platform/merchants.js';
import type { StripeApi } from './stripe/stripe-api.js';

/** What the handlers of this worker get in addition to their context. */
export interface StripeServices {
  readonly stripe: StripeApi;
  readonly merchants: Merchants;
  /** The pseudonym of an id for logs: the same for the same id, and not reversible. */
  readonly pseudonym: (id: string) => string;
  /** The assumed life of a login link, in seconds; Stripe does not state it (C-41). */
  readonly loginLinkSeconds: number;
}

export const handle = handlersWith<StripeServices>();

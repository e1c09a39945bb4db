import { handlersWith } from '#lib/worker';
import type { Merchants } from './platform/merchants.js';
import type { StripeApi } from './stripe/stripe-api.js';

/** What the handlers of this worker get besides their context. */
export interface StripeServices {
  readonly stripe: StripeApi;
  readonly merchants: Merchants;
  /** An id as logs may show it: the same for the same id, telling nothing of it. */
  readonly pseudonym: (id: string) => string;
  /** How long a login link is taken to live; Stripe tells no time (C-41). */
  readonly loginLinkSeconds: number;
}

export const handle = handlersWith<StripeServices>();

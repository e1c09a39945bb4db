import { stripeGetAccountStatus } from '#lib/contracts';
import { handle } from '../services.js';
import { StripeRefusal } from '../stripe/stripe-errors.js';

export const handleStripeGetAccountStatus = handle(
  stripeGetAccountStatus,
  async (
    { stripe_account_id: account },
    { stripe, merchants, caller, sessionId, signal, recordUpstreamAnswer, network, recordFacts, error },
  ) => {
    recordFacts({ account_id: account });
    if (!stripe.isConfigured()) throw error('unauthorized', 'This installation has no Stripe key');
    const may = await network(() => merchants.checkAccess(account, { caller, sessionId }));
    if (!may.account) throw error('unauthorized', `The account ${account} is not one of the caller's merchants`);
    try {
      const status = await network(() => stripe.readAccount(account, { signal, recordUpstreamAnswer }));
      return { ...status, observed_at: new Date().toISOString() };
    } catch (fault) {
      if (!(fault instanceof StripeRefusal)) throw fault;
      if (fault.about === 'key') throw error('unauthorized', "Stripe does not accept this installation's key for reading accounts");
      throw error('not_found', `Stripe has no account ${account} for this platform`);
    }
  },
);

import { connectGenerateRelinkUrl } from '#lib/contracts';
import { handle } from '../services.js';
import { isoOf, createLink } from './create-link.js';

export const handleConnectGenerateRelinkUrl = handle(connectGenerateRelinkUrl, async (input, context) => {
  const { stripe_account_id: account, return_url, refresh_url } = input;
  // As this parser reads them: what Stripe gets is what was checked.
  const wish = { account, returnUrl: new URL(return_url).href, refreshUrl: new URL(refresh_url).href };
  const make = () => context.stripe.createAccountLink(wish, context);
  const link = await createLink({ account, urls: { return_url, refresh_url }, make }, context);
  const expires_at = isoOf(link.expires_at);
  context.recordFacts({ expires_at });
  return { url: link.url, expires_at, account_link_type: 'account_onboarding' as const };
});

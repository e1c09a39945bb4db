import { expressDashboardLoginLink } from '#lib/contracts';
import { handle } from '../services.js';
import { isoOf, createLink } from './create-link.js';

export const handleExpressDashboardLoginLink = handle(expressDashboardLoginLink, async (input, context) => {
  const { stripe_account_id: account, return_to } = input;
  const make = () => context.stripe.createLoginLink(account, context);
  const link = await createLink({ account, urls: { return_to }, make }, context);
  const expires_at = isoOf(link.created + context.loginLinkSeconds);
  context.recordFacts({ expires_at });
  return { url: link.url, expires_at, expires_at_estimated: true as const };
});

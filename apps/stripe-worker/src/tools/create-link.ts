import type { HandlerContext, RefuseWith } from '#lib/handlers';
import type { StripeServices } from '../services.js';
import { StripeRefusal } from '../stripe/stripe-errors.js';

type LinkLiteral = 'invalid_account' | 'unauthorized' | 'invalid_request';
type LinkContext = HandlerContext<StripeServices> & RefuseWith<LinkLiteral>;

interface LinkRequest<Link> {
  readonly account: string;
  /** URLs to which the browser may be sent, by parameter name. */
  readonly urls: Readonly<Record<string, string | undefined>>;
  readonly make: () => Promise<Link>;
}

/** What both link tools do around the request: check the account and the return hosts, and translate Stripe's refusals. */
export async function createLink<Link>(
  { account, urls, make }: LinkRequest<Link>,
  { stripe, merchants, caller, sessionId, network, recordFacts, error }: LinkContext,
): Promise<Link> {
  recordFacts({ account_id: account });
  if (!stripe.isConfigured()) throw error('unauthorized', 'This installation has no Stripe key');
  const given = Object.entries(urls).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const may = await network(() =>
    merchants.checkAccess(
      account,
      { caller, sessionId },
      given.map(([, url]) => url),
    ),
  );
  if (!may.account) throw error('invalid_account', `The account ${account} is not one of the caller's merchants`);
  if (!may.urls) {
    const message = `${given.map(([name]) => `'${name}'`).join(' and ')} must be on the tenant's list of return hosts`;
    throw error('invalid_request', message, { details: given.map(([path]) => ({ path, message: 'not on the list of return hosts' })) });
  }
  try {
    return await network(make);
  } catch (fault) {
    if (!(fault instanceof StripeRefusal)) throw fault;
    switch (fault.about) {
      case 'account':
        throw error('invalid_account', `Stripe makes no such link for the account ${account}`);
      case 'key':
        throw error('unauthorized', "Stripe does not accept this installation's key for making links");
      case 'urls':
        throw error('invalid_request', 'Stripe does not take these return addresses');
    }
  }
}

/** Epoch seconds as ISO 8601 in UTC. */
export function isoOf(epochSeconds: number): string {
  return new Date(epochSeconds * 1_000).toISOString();
}

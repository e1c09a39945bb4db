// The three endpoints that the product uses, as in Stripe's OpenAPI document. Everything else is 404.
import { randomBytes } from 'node:crypto';
import type Stripe from 'stripe';
import type { Account } from './accounts.js';
import type { Ledger } from './ledger.js';
import { stripeError, type StripeAnswer } from './stripe-answer.js';

export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly idempotencyKey: string | null;
}

interface ApiParts {
  readonly accounts: ReadonlyMap<string, Account>;
  readonly ledger: Ledger;
  /** Part of every link, so that leaked links can be found. */
  readonly marker: string;
}

const accountLinkLifeSeconds = 300;

/** Routes a request to its endpoint. */
export function answerOf(request: ApiRequest, parts: ApiParts): StripeAnswer {
  const { method, path } = request;
  const [, account, rest] = /^\/v1\/accounts\/([^/]+)(\/login_links)?$/.exec(path) ?? [];
  if (method === 'GET' && account && !rest) return retrieveAccount(account, parts);
  if (method === 'POST' && account && rest) return createLoginLink(account, request, parts);
  if (method === 'POST' && path === '/v1/account_links') return createAccountLink(request, parts);
  return stripeError(404, { message: `Unrecognized request URL (${method}: ${path}).` });
}

function retrieveAccount(id: string, { accounts }: ApiParts): StripeAnswer {
  const account = accounts.get(id);
  return account ? { status: 200, body: account } : noAccess(id);
}

function createAccountLink({ parameters, idempotencyKey }: ApiRequest, { accounts, ledger, marker }: ApiParts): StripeAnswer {
  const allowed = ['account', 'type', 'return_url', 'refresh_url', 'collect', 'collection_options', 'expand'];
  const unknown = Object.keys(parameters).find((name) => !allowed.includes(name));
  if (unknown) return stripeError(400, { code: 'parameter_unknown', message: `Received unknown parameter: ${unknown}`, param: unknown });
  const { account, type, return_url: returnUrl, refresh_url: refreshUrl } = parameters;
  for (const [name, value] of Object.entries({ account, type, return_url: returnUrl, refresh_url: refreshUrl }))
    if (typeof value !== 'string')
      return stripeError(400, { code: 'parameter_missing', message: `Missing required param: ${name}.`, param: name });
  if (type !== 'account_onboarding')
    return stripeError(400, { message: 'You cannot create account_update type Account Links for this account.', param: 'type' });
  const id = String(account);
  if (!accounts.has(id)) return stripeError(400, { code: 'resource_missing', message: `No such account: '${id}'`, param: 'account' });
  const created = nowSeconds();
  const link: Stripe.AccountLink = {
    object: 'account_link',
    created,
    expires_at: created + accountLinkLifeSeconds,
    url: `https://connect.stripe.com/setup/e/${id}/${marker}${randomBytes(9).toString('base64url')}`,
  };
  ledger.links.push({ at: Date.now(), kind: 'account_link', account: id, url: link.url, idempotencyKey });
  return { status: 200, body: link };
}

function createLoginLink(id: string, { parameters, idempotencyKey }: ApiRequest, { accounts, ledger, marker }: ApiParts): StripeAnswer {
  const account = accounts.get(id);
  if (!account) return noAccess(id);
  const [unknown] = Object.keys(parameters).filter((name) => name !== 'expand');
  if (unknown) return stripeError(400, { code: 'parameter_unknown', message: `Received unknown parameter: ${unknown}`, param: unknown });
  if (account.type !== 'express')
    return stripeError(400, { message: 'Cannot create a login link for an account which is not an Express account.' });
  const link: Stripe.LoginLink = {
    object: 'login_link',
    created: nowSeconds(),
    url: `https://connect.stripe.com/express/${id}/${marker}${randomBytes(9).toString('base64url')}`,
  };
  ledger.links.push({ at: Date.now(), kind: 'login_link', account: id, url: link.url, idempotencyKey });
  return { status: 200, body: link };
}

/** Stripe's answer for an account that does not exist or is not connected. */
function noAccess(id: string): StripeAnswer {
  return stripeError(403, {
    code: 'account_invalid',
    message: `The provided key does not have access to account '${id}' (or that account does not exist). Application access may have been revoked.`,
  });
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}

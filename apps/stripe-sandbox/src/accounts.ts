import type Stripe from 'stripe';

/** A connected account; the type is generated from Stripe's OpenAPI document. */
export type Account = Stripe.Account;

interface AccountOptions {
  readonly id: string;
  readonly type?: 'express' | 'standard';
  readonly enabled?: boolean;
  readonly due?: Partial<Readonly<Record<'currently' | 'past' | 'eventually', readonly string[] | undefined>>>;
}

/** An account with every field that Stripe always sends. */
export function accountOf({ id, type = 'express', enabled = true, due = {} }: AccountOptions): Account {
  return {
    id,
    object: 'account',
    business_profile: null,
    business_type: 'company',
    capabilities: { card_payments: enabled ? 'active' : 'inactive', transfers: enabled ? 'active' : 'inactive' },
    charges_enabled: enabled,
    country: 'US',
    created: 1_767_225_600,
    default_currency: 'usd',
    details_submitted: enabled,
    email: `owner-of-${id}@personal.example`,
    metadata: {},
    payouts_enabled: enabled,
    requirements: {
      alternatives: [],
      current_deadline: null,
      currently_due: [...(due.currently ?? [])],
      disabled_reason: enabled ? null : 'requirements.past_due',
      errors: [],
      eventually_due: [...(due.eventually ?? [])],
      past_due: [...(due.past ?? [])],
      pending_verification: [],
    },
    type,
  };
}

/** The accounts of the demo data. `acct_gone` is in the platform's database and deliberately missing here. */
export function demoAccounts(): Map<string, Account> {
  const accounts = [
    accountOf({ id: 'acct_ok', due: { eventually: ['individual.id_number'] } }),
    accountOf({ id: 'acct_other' }),
    accountOf({
      id: 'acct_due',
      enabled: false,
      due: { currently: ['external_account', 'tos_acceptance.date'], past: ['external_account'], eventually: ['individual.id_number'] },
    }),
    accountOf({ id: 'acct_standard', type: 'standard' }),
  ];
  return new Map(accounts.map((account) => [account.id, account]));
}

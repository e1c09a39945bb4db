// What a developer may see of Stripe's answers: switches, times and Stripe's own words of a closed list. Its free text may hold
// account data, hosts or keys, and its links are worth money; neither is shown to anybody.

const visibleFields: ReadonlySet<string> = new Set([
  'object',
  'livemode',
  'payouts_enabled',
  'charges_enabled',
  'details_submitted',
  'requirements',
  'currently_due',
  'past_due',
  'eventually_due',
  'disabled_reason',
  'created',
  'expires_at',
  'error',
  'type',
  'code',
  'param',
]);
/** Stripe's own words, such as `external_account` or `individual.verification.document`. */
const word = /^[a-z][a-z0-9_.[\]]{0,80}$/;
const hidden = '[redacted]';

/** A copy in which everything else is masked. */
export function redactAnswer(value: unknown): unknown {
  if (typeof value === 'string') return word.test(value) ? value : hidden;
  if (Array.isArray(value)) return value.map(redactAnswer);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]: [string, unknown]) => [key, visibleFields.has(key) ? redactAnswer(item) : hidden]),
  );
}

/** The path without the account that it names. */
export function endpointOf(path: string): string {
  return (path.split('?')[0] ?? '').replace(/\/acct_[^/]+/, '/{account}');
}

// Redacts Stripe's answers for `debug_info`: flags, times and words of a closed vocabulary stay. Free text may contain account data,
// hosts or keys, and links grant access; both are masked.

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
/** Words of Stripe's vocabulary, such as `external_account` or `individual.verification.document`. */
const word = /^[a-z][a-z0-9_.[\]]{0,80}$/;
const hidden = '[redacted]';

/** A copy with everything else masked. */
export function redactAnswer(value: unknown): unknown {
  if (typeof value === 'string') return word.test(value) ? value : hidden;
  if (Array.isArray(value)) return value.map(redactAnswer);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]: [string, unknown]) => [key, visibleFields.has(key) ? redactAnswer(item) : hidden]),
  );
}

/** The path without its query and with `{account}` in place of the account id. */
export function endpointOf(path: string): string {
  return (path.split('?')[0] ?? '').replace(/\/acct_[^/]+/, '/{account}');
}

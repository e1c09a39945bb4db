/** The answer to a request, before any fault is applied. */
export interface StripeAnswer {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

interface ErrorParts {
  readonly type?: 'api_error' | 'idempotency_error' | 'invalid_request_error';
  readonly code?: string;
  readonly message: string;
  readonly param?: string;
}

/** An answer with Stripe's error object. */
export function stripeError(
  status: number,
  { type = 'invalid_request_error', ...rest }: ErrorParts,
  headers: Readonly<Record<string, string>> = {},
): StripeAnswer {
  const docUrl = rest.code && { doc_url: `https://stripe.com/docs/error-codes/${rest.code.replaceAll('_', '-')}` };
  return { status, body: { error: { ...rest, ...docUrl, type } }, headers };
}

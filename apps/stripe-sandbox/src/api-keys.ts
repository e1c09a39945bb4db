import { stripeError, type StripeAnswer } from './stripe-answer.js';

/** What a restricted key may do: read accounts, or also create links. */
export type Grant = 'read' | 'write';

/** API keys and their grants. Until a key is granted, every key of Stripe's form may do everything. */
export class ApiKeys {
  readonly #grants = new Map<string, Grant>();

  grant(key: string, grant: Grant): void {
    this.#grants.set(key, grant);
  }

  revoke(key: string): void {
    this.#grants.delete(key);
  }

  /** Stripe's error for a key that may not make this request, or null. */
  refuse(key: string, method: string): StripeAnswer | null {
    const shown = `${key.slice(0, 8)}${'*'.repeat(8)}${key.slice(-4)}`;
    if (key === '')
      return stripeError(401, { message: 'You did not provide an API key. You need to provide your API key in the Authorization header.' });
    const isGood = this.#grants.size === 0 ? /^[rs]k_(test|live)_\w+$/.test(key) : this.#grants.has(key);
    if (!isGood) return stripeError(401, { message: `Invalid API Key provided: ${shown}` });
    if (method !== 'GET' && this.#grants.get(key) === 'read')
      return stripeError(403, { message: `The provided key '${shown}' does not have the required permissions for this endpoint.` });
    return null;
  }
}

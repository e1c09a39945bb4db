// Standard Webhooks 1.0.0, symmetric signatures.
import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';
const secretBytes = 32;

/** `whsec_` and 256 bits in base64. */
export function newWebhookSecret(): string {
  return prefix + randomBytes(secretBytes).toString('base64');
}

/** What is signed of a delivery. `timestamp`: seconds since 1970, of the try. */
export interface SignedDelivery {
  readonly id: string;
  readonly timestamp: number;
  readonly body: string;
}

/** The headers of one try: it is signed by each of the secrets. */
export function signedHeaders(secrets: readonly string[], { id, timestamp, body }: SignedDelivery): Readonly<Record<string, string>> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signatures.join(' ') };
}

import { z } from 'zod';
import { newProvider } from '#lib/contracts';

/** What is known of an OAuth server and of our client there, as it is stored. */
export const knownServer = z.strictObject({
  /** Its identifier; where nobody has said which, the origin to which users are sent. */
  issuer: z.string(),
  /** Whether that was said, so that `iss` of an answer is compared with it (RFC 9207). */
  isNamed: z.boolean(),
  /** Whether every answer has `iss`. */
  sendsIssuer: z.boolean(),
  authorizationEndpoint: z.string(),
  tokenEndpoint: z.string(),
  revocationEndpoint: z.string().nullable(),
  clientId: z.string(),
  client: z.enum(['registered', 'metadata_document', 'dynamic']),
  authentication: z.enum(['client_secret_basic', 'client_secret_post', 'none']),
  resource: z.string().nullable(),
  scopes: z.array(z.string()),
  scopeSeparator: z.enum([' ', ',']),
  parameters: z.record(z.string(), z.string()),
});
export type KnownServer = z.output<typeof knownServer>;

/** What an administrator has given, without the secret. */
export type ProviderConfig = Omit<z.output<typeof newProvider>, 'client_secret'>;

import { z } from 'zod';
import { tiers } from '../scopes.js';

/** A page of the console sends it with each request that changes something. A form or a link of another page cannot. */
export const consoleHeader = 'x-invoq-console';

/** Body of `POST /console/session`: an API key, or the one-use ticket of a sign-in address. */
export const consoleSignIn = z
  .strictObject({ key: z.string().min(1).max(512).optional(), ticket: z.string().min(1).max(128).optional() })
  .refine(({ key, ticket }) => (key === undefined) !== (ticket === undefined), { error: "Send either 'key' or 'ticket'" });

/** Who the credential of a request speaks for, and the session that it belongs to: answer of `POST` and `GET /console/session`. */
export const consoleSession = z.strictObject({
  tenant_id: z.string(),
  /** Null for a key of the tenant itself. */
  user_id: z.string().nullable(),
  tier: z.enum(tiers),
  scopes: z.array(z.string()),
  /** Public id of the API key, or the subject of a token. */
  credential_id: z.string(),
  /** Null for a request that brought its credential in `Authorization`. */
  session: z
    .strictObject({
      started_at: z.iso.datetime(),
      /** When it ends if no request comes before: 30 minutes after the last one. */
      idle_ends_at: z.iso.datetime(),
      /** When it ends at the latest: 12 hours after its start. */
      ends_at: z.iso.datetime(),
    })
    .nullable(),
});
export type ConsoleSession = z.infer<typeof consoleSession>;

/** Answer of `POST /console/tickets`. */
export const consoleTicket = z.strictObject({
  /** Goes into the fragment: `/console#ticket=…`. */
  ticket: z.string(),
  expires_in: z.number().int().describe('Seconds.'),
});
export type ConsoleTicket = z.infer<typeof consoleTicket>;

/** Answer of `DELETE /console/session`, where the browser has something left to do. */
export const consoleSignedOut = z.strictObject({
  /** Where it signs out at the issuer too, and is sent back from. */
  location: z.url(),
});
export type ConsoleSignedOut = z.infer<typeof consoleSignedOut>;

/** Answer of `GET /console/oidc`: the issuer by which people sign in; null where there is none. */
export const consoleIssuerShown = z.strictObject({
  issuer: z
    .strictObject({
      host: z.string(),
      /** Where the user stands in its ID tokens, and where the tenant: the first that is there. */
      user_claim: z.string(),
      tenant_claims: z.array(z.string()),
    })
    .nullable(),
});
export type ConsoleIssuerShown = z.infer<typeof consoleIssuerShown>;

/** Why a sign-in by the issuer came to nothing, in the fragment of the console's address: `#sign_in_fault=denied`. */
export type SignInFault = 'denied' | 'expired' | 'clock' | 'no_tenant' | 'no_user' | 'issuer' | 'unreachable' | 'off';

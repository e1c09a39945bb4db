import { Inject, Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import { createRemoteJWKSet, customFetch, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import { hasScope, principal, Refusal, scopeNamed, tenantIdSchema, tiers, userIdSchema, userScopes, type Caller } from '#lib/contracts';
import { boundedFetch, RecentMap, type Logger } from '#lib/platform';
import type { GatewaySettings } from '../config.js';
import { Stores } from '../stores.js';

/** How far the clocks of issuer and gateway may differ. */
const toleranceSeconds = 5;

/** How long a token that was verified is not verified again. A key of the issuer that is withdrawn takes effect within this time. */
const freshMs = 1_000;
const keptTokens = 10_000;

/** A key set has a few kB. */
const maxKeySetBytes = 1024 * 1024;

/** The claims that are read, besides issuer and audience. docs/authentication.md explains them. */
export const tokenClaims = z.object({
  sub: userIdSchema,
  tenant_id: tenantIdSchema,
  exp: z.number(),
  tier: z.enum(tiers).default('free'),
  /** Space-separated, RFC 8693; the scopes of an ordinary user when absent. */
  scope: z.string().optional(),
});

/** Three parts of base64url (RFC 7515): what has another form was meant as a key. */
const tokenShape = /^[\w-]+\.[\w-]+\.[\w-]*$/;

const credentialPrefix = 'jwt:';

/** The credential of a user of the issuer: no token has an id that stays. */
export function tokenCredential(user: Pick<Caller, 'tenantId' | 'userId'>): string {
  return `${credentialPrefix}${principal({ ...user, credentialId: '' })}`;
}

/** Whether a credential is a token of the issuer. */
export function isToken(credentialId: string): boolean {
  return credentialId.startsWith(credentialPrefix);
}

type TokenSettings = Pick<GatewaySettings, 'JWT_ISSUER' | 'JWT_AUDIENCE' | 'JWT_JWKS_URL' | 'JWT_SECRET' | 'JWT_MAX_SCOPES'>;
type Verify = (token: string) => Promise<JWTPayload>;

/** JWTs of one issuer (RFC 7519, RFC 9068): signature, issuer, audience and expiry are all required. */
@Injectable()
export class Tokens {
  readonly #verify: Verify | null;
  readonly #accepted = new RecentMap<string, { readonly caller: Caller; readonly at: number }>(keptTokens);
  /** Scopes that tokens claim and do not get, of which was told. */
  readonly #withheld = new Set<string>();

  constructor(@Inject(Stores) private readonly stores: { readonly settings: TokenSettings; readonly log: Pick<Logger, 'warn'> }) {
    this.#verify = verifierOf(stores.settings);
  }

  /** The caller of a token that was verified within the second and has not expired. Null where it has to be looked at. */
  acceptedCallerOf(token: string, now = Date.now()): Caller | null {
    const known = this.#accepted.get(token);
    if (!known || now < known.at || now - known.at >= freshMs || (known.caller.credentialEndsAt ?? 0) <= now) return null;
    return known.caller;
  }

  /** Throws UNAUTHORIZED for a token that is not valid now. */
  async callerOf(token: string): Promise<Caller> {
    const at = Date.now();
    const accepted = this.acceptedCallerOf(token, at);
    if (accepted) return accepted;
    const verified = await this.#verified(token);
    // The same object as long as it says the same: what was derived from it holds.
    const before = this.#accepted.get(token)?.caller;
    const caller = before && isDeepStrictEqual(before, verified) ? before : verified;
    this.#accepted.set(token, { caller, at });
    return caller;
  }

  async #verified(token: string): Promise<Caller> {
    if (!tokenShape.test(token)) throw new Refusal('UNAUTHORIZED', 'This is no API key: one begins with invoq_ and is sent whole');
    if (!this.#verify) throw new Refusal('UNAUTHORIZED', 'Tokens are not accepted here; send an API key');
    const payload = await this.#verify(token).catch((error: unknown) => {
      throw refusalOf(error);
    });
    const parsed = tokenClaims.safeParse(payload);
    if (!parsed.success)
      throw new Refusal(
        'UNAUTHORIZED',
        `The token lacks valid claims: ${parsed.error.issues.map(({ path, message }) => `${path.join('.')} (${message})`).join(', ')}`,
      );
    const { sub: userId, tenant_id: tenantId, tier, scope, exp } = parsed.data;
    return {
      tenantId,
      userId,
      tier,
      scopes: this.#bounded(scope === undefined ? userScopes : scope.split(' ').filter(Boolean)),
      credentialId: tokenCredential({ tenantId, userId }),
      credentialEndsAt: (exp + toleranceSeconds) * 1_000,
    };
  }

  /** The user of a token that was valid once, with what tokens may have today. Throws UNAUTHORIZED where none are accepted any more. */
  callerAgain(user: Caller): Caller {
    if (!this.#verify) throw new Refusal('UNAUTHORIZED', 'Tokens are not accepted here any more');
    return { ...user, scopes: this.#bounded(user.scopes), credentialEndsAt: undefined };
  }

  /** What a token claims, as far as tokens may have it. Names that mean nothing here stay: an issuer has other audiences too. */
  #bounded(claimed: readonly string[]): readonly string[] {
    return claimed.filter((name) => {
      const scope = scopeNamed(name);
      if (!scope || hasScope({ scopes: this.stores.settings.JWT_MAX_SCOPES }, scope)) return true;
      this.#tellWithheld(scope);
      return false;
    });
  }

  /** Once of each scope. */
  #tellWithheld(scope: string): void {
    if (this.#withheld.has(scope)) return;
    this.#withheld.add(scope);
    this.stores.log.warn({ event: 'token-scope-withheld', scope }, 'a token claims a scope that JWT_MAX_SCOPES does not let tokens have');
  }
}

function verifierOf(settings: TokenSettings): Verify | null {
  const { JWT_ISSUER: issuer, JWT_AUDIENCE: audience, JWT_JWKS_URL: jwks, JWT_SECRET: secrets } = settings;
  if (!issuer) return null;
  const common = { issuer, audience, requiredClaims: ['exp', 'sub'], clockTolerance: toleranceSeconds };
  if (jwks) {
    const published = createRemoteJWKSet(new URL(jwks), {
      timeoutDuration: 2_000,
      [customFetch]: boundedFetch(maxKeySetBytes),
    });
    // Whatever else goes wrong while a key is looked up is the issuer's or the network's fault, and says nothing about the token.
    const keys: JWTVerifyGetKey = async (header, token) =>
      published(header, token).catch((cause: unknown) => {
        throw isOfToken(cause) ? cause : unreachable(cause);
      });
    // Asymmetric only: a public key must never verify an HMAC.
    return async (token) => (await jwtVerify(token, keys, { ...common, algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA'] })).payload;
  }
  if (!secrets) return null;
  const keys = secrets.map((secret) => new TextEncoder().encode(secret));
  return async (token) => {
    let refusal: unknown;
    for (const key of keys)
      try {
        return (await jwtVerify(token, key, { ...common, algorithms: ['HS256'] })).payload;
      } catch (error) {
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
        refusal = error;
      }
    throw refusal;
  };
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof errors.JWTExpired) return new Refusal('UNAUTHORIZED', 'The token has expired');
  if (error instanceof Refusal) return error;
  return new Refusal('UNAUTHORIZED', 'The token is not valid');
}

/** Whether a key was not found because of what the token says. */
function isOfToken(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  );
}

function unreachable(cause: unknown): Refusal {
  const refusal = new Refusal('NETWORK_ERROR', "The issuer's keys cannot be read at the moment", { retry_after_ms: 1_000 });
  refusal.cause = cause;
  return refusal;
}

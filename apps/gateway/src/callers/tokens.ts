import { createRemoteJWKSet, customFetch, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import { Refusal, tiers, userScopes, type Caller } from '#lib/contracts';
import { boundedFetch } from '#lib/platform';
import type { GatewaySettings } from '../config.js';

/** How far the clocks of issuer and gateway may differ. */
const toleranceSeconds = 5;

/** A key set has a few kB. */
const maxKeySetBytes = 1024 * 1024;

const claims = z.object({
  sub: z.string().min(1).max(128),
  tenant_id: z.string().min(1).max(128),
  exp: z.number(),
  tier: z.enum(tiers).default('free'),
  /** Space-separated, RFC 8693; the scopes of an ordinary user when absent. */
  scope: z.string().optional(),
});

type Verify = (token: string) => Promise<JWTPayload>;

/** JWTs of one issuer (RFC 7519, RFC 9068): signature, issuer, audience and expiry are all required. */
export class Tokens {
  readonly #verify: Verify | null;

  constructor(settings: Pick<GatewaySettings, 'JWT_ISSUER' | 'JWT_AUDIENCE' | 'JWT_JWKS_URL' | 'JWT_SECRET'>) {
    this.#verify = verifierOf(settings);
  }

  /** Throws UNAUTHORIZED for a token that is not valid now. */
  async callerOf(token: string): Promise<Caller> {
    if (!this.#verify) throw new Refusal('UNAUTHORIZED', 'Tokens are not accepted here; send an API key');
    const payload = await this.#verify(token).catch((error: unknown) => {
      throw refusalOf(error);
    });
    const parsed = claims.safeParse(payload);
    if (!parsed.success)
      throw new Refusal(
        'UNAUTHORIZED',
        `The token lacks valid claims: ${parsed.error.issues.map((issue) => issue.path.join('.')).join(', ')}`,
      );
    const { sub, tenant_id, tier, scope, exp } = parsed.data;
    return {
      tenantId: tenant_id,
      userId: sub,
      tier,
      scopes: scope === undefined ? userScopes : scope.split(' ').filter(Boolean),
      credentialId: `jwt:${tenant_id}/${sub}`,
      credentialEndsAt: (exp + toleranceSeconds) * 1_000,
    };
  }
}

function verifierOf(settings: Pick<GatewaySettings, 'JWT_ISSUER' | 'JWT_AUDIENCE' | 'JWT_JWKS_URL' | 'JWT_SECRET'>): Verify | null {
  const { JWT_ISSUER: issuer, JWT_AUDIENCE: audience, JWT_JWKS_URL: jwks, JWT_SECRET: secret } = settings;
  if (!issuer) return null;
  const common = { issuer, audience, requiredClaims: ['exp', 'sub'], clockTolerance: toleranceSeconds };
  if (jwks) {
    const keys: JWTVerifyGetKey = createRemoteJWKSet(new URL(jwks), {
      timeoutDuration: 2_000,
      [customFetch]: boundedFetch(maxKeySetBytes),
    });
    // Asymmetric only: a public key must never verify an HMAC.
    return async (token) => (await jwtVerify(token, keys, { ...common, algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA'] })).payload;
  }
  if (!secret) return null;
  const key = new TextEncoder().encode(secret);
  return async (token) => (await jwtVerify(token, key, { ...common, algorithms: ['HS256'] })).payload;
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof errors.JWTExpired) return new Refusal('UNAUTHORIZED', 'The token has expired');
  if (error instanceof errors.JWKSTimeout)
    return new Refusal('NETWORK_ERROR', "The issuer's keys cannot be read at the moment", { retry_after_ms: 1_000 });
  return new Refusal('UNAUTHORIZED', 'The token is not valid');
}

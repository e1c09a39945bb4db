// Who somebody is, by what the issuer says of him.
import { isJsonObject, scopeNamed, tenantIdSchema, tiers, userIdSchema, userScopes, type Caller } from '#lib/contracts';
import { SignInFailure } from './sign-in-fault.js';

/** Where things stand in an ID token, see `claimAt`. */
export interface ClaimPaths {
  readonly user: string;
  /** The first that is there counts. */
  readonly tenant: readonly string[];
  /** All of them count together. */
  readonly scopes: readonly string[];
}

type Claims = Readonly<Record<string, unknown>>;

/**
 * The user of an ID token that was checked, with the scopes that it names; those of an ordinary user where it names none.
 * Throws SignInFailure.
 */
export function userOfClaims(claims: Claims, paths: ClaimPaths): Pick<Caller, 'tenantId' | 'userId' | 'tier' | 'scopes'> {
  const tenant = tenantIdSchema.safeParse(firstText(claims, paths.tenant));
  if (!tenant.success) throw new SignInFailure('no_tenant', `no claim of ${paths.tenant.join(', ')} names one tenant`);
  const user = userIdSchema.safeParse(textOf(claimAt(claims, paths.user)));
  if (!user.success) throw new SignInFailure('no_user', `the claim ${paths.user} names no user`);
  const named = paths.scopes.flatMap((path) => wordsOf(claimAt(claims, path))).flatMap((word) => scopeNamed(word) ?? []);
  return {
    tenantId: tenant.data,
    userId: user.data,
    tier: tiers.find((tier) => tier === claims['tier']) ?? 'free',
    scopes: named.length > 0 ? [...new Set(named)] : userScopes,
  };
}

/** `realm_access.roles` is in an object; a claim whose name has a point, such as a URL, is found by its whole name first. */
function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  const point = path.indexOf('.');
  if (point === -1) return undefined;
  const [first, rest] = [path.slice(0, point), path.slice(point + 1)];
  return Object.hasOwn(claims, first) && isJsonObject(claims[first]) ? claimAt(claims[first], rest) : undefined;
}

function firstText(claims: Claims, paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const value = claimAt(claims, path);
    if (value !== undefined && value !== null) return textOf(value);
  }
  return undefined;
}

/** A list of one is that one, as Keycloak has organizations; of several nobody says which. */
function textOf(value: unknown): string | undefined {
  const one: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return typeof one === 'string' ? one : undefined;
}

/** Scopes are in one text, or in a list. */
function wordsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.split(' ');
  return Array.isArray(value) ? value.filter((word) => typeof word === 'string') : [];
}

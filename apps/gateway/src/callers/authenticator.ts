import { Inject, Injectable } from '@nestjs/common';
import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { hasScope, isApiKey, principal, Refusal, userIdSchema, userScopes, type Caller, type Scope } from '#lib/contracts';
import { ApiKeyDirectory } from './api-key-directory.js';
import { ConsoleSessions } from './console-sessions.js';
import { isTurnToken } from '#lib/transport';
import { isToken, Tokens } from './tokens.js';
import { TurnTokens } from './turn-tokens.js';
import { Users } from './users.js';
import { Stores } from '../stores.js';

/** What a key that has it may do for a user. */
const actingScopes: readonly Scope[] = [...userScopes, 'schedules', 'approvals'];

/** Turns a credential into its caller. Tenant, user, tier and scopes come from here and nowhere else. */
@Injectable()
export class Authenticator {
  /** Counts failures alone, so a guesser never slows down others at its address who have a good credential. */
  readonly #failures: RateLimiterMemory;

  constructor(
    @Inject(Stores) { settings }: { readonly settings: Pick<Stores['settings'], 'AUTH_FAILURES_PER_MINUTE'> },
    private readonly keys: ApiKeyDirectory,
    @Inject(Tokens) private readonly tokens: Pick<Tokens, 'callerOf' | 'acceptedCallerOf' | 'callerAgain'>,
    @Inject(Users) private readonly users: Pick<Users, 'tierOf'>,
    @Inject(TurnTokens) private readonly turns: Pick<TurnTokens, 'callerOf'>,
    @Inject(ConsoleSessions) private readonly sessions: Pick<ConsoleSessions, 'callerOf' | 'check'>,
  ) {
    // Of one address.
    this.#failures = new RateLimiterMemory({ points: settings.AUTH_FAILURES_PER_MINUTE, duration: 60 });
  }

  /**
   * What `authenticate` finds, without waiting: a bearer credential that was looked at within the second, and acts for nobody. Null where
   * `authenticate` has to be asked.
   */
  authenticateAtOnce({ authorization, 'x-user-id': userId }: IncomingHttpHeaders): Caller | null {
    if (authorization === undefined || userId !== undefined) return null;
    const { scheme, credential } = credentialIn(authorization);
    if (!isBearer(scheme) || isTurnToken(credential)) return null;
    return this.#storeOf(credential).acceptedCallerOf(credential);
  }

  /**
   * @param allowsBasic whether the key may come as the password of Basic, which browsers send by themselves once they know it
   * Throws UNAUTHORIZED, PERMISSION_DENIED (X-User-Id without the scope), RATE_LIMITED (guessing) or NETWORK_ERROR.
   */
  async authenticate(headers: IncomingHttpHeaders, address: string, allowsBasic = false): Promise<Caller> {
    try {
      return await this.#actingFor(await this.#callerOf(headers, allowsBasic), headers['x-user-id']);
    } catch (error) {
      if (error instanceof Refusal && error.error.family === 'UNAUTHORIZED') await this.#countFailure(address);
      throw error;
    }
  }

  /** The caller of a session of the console, by its cookie. Throws like `authenticate`; a session that has ended is no guess. */
  async authenticateSession(session: string, headers: IncomingHttpHeaders): Promise<Caller> {
    return this.#actingFor(await this.sessions.callerOf(session), headers['x-user-id']);
  }

  /**
   * Checks again the credential of a caller who was let in; whatever was derived from it ends with it.
   * Throws UNAUTHORIZED, or NETWORK_ERROR when the key cannot be read.
   * @param options.isFresh reads the key now, instead of at most once a second
   */
  async check(
    { credentialId, credentialEndsAt, consoleSession }: Pick<Caller, 'credentialId' | 'credentialEndsAt' | 'consoleSession'>,
    { isFresh = false }: { readonly isFresh?: boolean } = {},
  ): Promise<void> {
    if (credentialEndsAt !== undefined && credentialEndsAt <= Date.now()) throw new Refusal('UNAUTHORIZED', 'The token has expired');
    if (isApiKey(credentialId)) await this.keys.check(credentialId, { isFresh });
    if (consoleSession !== undefined) await this.sessions.check(consoleSession);
  }

  /**
   * The caller that a credential gives now, for what it has left to be done: a key with the rights that it has today, also for the user that
   * it acted for; the user of a token, which nobody keeps, with the rights that it had. Throws UNAUTHORIZED for what has ended, and
   * PERMISSION_DENIED for a key that acts for nobody any more.
   */
  async callerAgain(left: Caller): Promise<Caller> {
    if (!isApiKey(left.credentialId)) return this.tokens.callerAgain(left);
    const own = await this.keys.callerOfId(left.credentialId);
    const caller = left.actor && left.userId !== null ? await this.#asUser(own, left.userId) : own;
    if (principal(caller) !== principal(left)) throw new Refusal('UNAUTHORIZED', 'The API key is of another tenant or user now');
    return caller;
  }

  /** The caller acting for a user of its tenant, as with X-User-Id. Throws PERMISSION_DENIED without the scope for that. */
  async actFor(caller: Caller, userId: string): Promise<Caller> {
    return this.#asUser(caller, userId);
  }

  async #callerOf({ authorization }: IncomingHttpHeaders, allowsBasic: boolean): Promise<Caller> {
    if (authorization === undefined)
      throw new Refusal('UNAUTHORIZED', 'A credential is missing: send Authorization: Bearer <API key or JWT>');
    const { scheme, credential } = credentialIn(authorization);
    // Browsers can only be asked for Basic: the key is the password.
    if (/^basic$/i.test(scheme)) {
      if (!allowsBasic)
        throw new Refusal('UNAUTHORIZED', 'Basic is only for GET of pages in a browser; send Authorization: Bearer <API key or JWT>');
      return this.keys.callerOf(Buffer.from(credential, 'base64').toString('utf8').split(':').at(-1) ?? '');
    }
    if (!isBearer(scheme)) throw new Refusal('UNAUTHORIZED', 'The Authorization header must be `Bearer <API key or JWT>`');
    if (isTurnToken(credential)) {
      const caller = await this.turns.callerOf(credential);
      await this.check(caller);
      return caller;
    }
    return this.#storeOf(credential).callerOf(credential);
  }

  #storeOf(credential: string): Pick<Tokens, 'callerOf' | 'acceptedCallerOf'> {
    return credential.startsWith('invoq_') ? this.keys : this.tokens;
  }

  /** A key that acts for a user gives up its own rights: the call has those of an ordinary user, as far as the key has them. */
  async #actingFor(caller: Caller, header: string | string[] | undefined): Promise<Caller> {
    if (header === undefined) return caller;
    const userId = userIdIn(header);
    return userId === caller.userId ? caller : this.#asUser(caller, userId);
  }

  async #asUser(caller: Caller, userId: string): Promise<Caller> {
    if (!hasScope(caller, 'act-as'))
      throw new Refusal('PERMISSION_DENIED', 'Acting for a user (X-User-Id) needs a key with the scope act-as', {
        extra: { required_scope: 'act-as' },
      });
    const tier = (await this.users.tierOf(caller.tenantId, userId)) ?? caller.tier;
    const scopes = actingScopes.filter((scope) => hasScope(caller, scope));
    return { ...caller, userId, tier, scopes, actor: { userId: caller.userId, tier: caller.tier } };
  }

  async #countFailure(address: string): Promise<void> {
    try {
      await this.#failures.consume(address);
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      throw new Refusal('RATE_LIMITED', 'Too many failed authentications from this address', { retry_after_ms: error.msBeforeNext });
    }
  }
}

/** The token of the issuer with which this caller came by itself; null for any other credential. */
export function tokenOf({ authorization }: IncomingHttpHeaders, { credentialId, actor }: Caller): string | null {
  if (authorization === undefined || actor || !isToken(credentialId)) return null;
  const { scheme, credential } = credentialIn(authorization);
  return isBearer(scheme) && !isTurnToken(credential) ? credential : null;
}

function credentialIn(authorization: string): { readonly scheme: string; readonly credential: string } {
  const [, scheme = '', credential = ''] = /^(\w+) +(\S{1,8192})$/.exec(authorization.trim()) ?? [];
  return { scheme, credential };
}

function isBearer(scheme: string): boolean {
  return /^bearer$/i.test(scheme);
}

/** The id in an X-User-Id header, which is UTF-8; Node shows its bytes as Latin-1. Throws INVALID_PARAMS. */
function userIdIn(header: string | string[]): string {
  const bytes = Buffer.from(String(header), 'latin1');
  const parsed = isUtf8(bytes) ? userIdSchema.safeParse(bytes.toString('utf8')) : null;
  if (parsed?.success) return parsed.data;
  const message = `X-User-Id ${parsed?.error.issues[0]?.message ?? 'must be UTF-8'}`;
  throw new Refusal('INVALID_PARAMS', message, { details: [{ path: 'X-User-Id', message }] });
}

// Decides who owns which merchant, session and account. Only these tables decide; a parameter never proves anything.
import { hasScope, type Caller } from '#lib/contracts';
import type { PlatformReader, Query } from './platform-reader.js';

/** The facts about a merchant that an access decision needs. */
export interface MerchantIdentity {
  readonly merchant_id: string;
  readonly tenant_id: string;
  readonly user_id: string;
  /** Incremented with every change of the row. */
  readonly version: number;
}

interface SessionRow {
  readonly tenant_id: string;
  readonly merchant_id: string;
  readonly user_id: string;
}

export interface MerchantRow {
  readonly stripe_account_id: string | null;
  readonly status_summary: Record<string, unknown> | null;
  readonly display_name: string | null;
  readonly country: string | null;
  readonly business_type: string | null;
}

export interface Requester {
  readonly caller: Caller;
  /** The working session in which the call was made. */
  readonly sessionId: string | null;
}

export interface MerchantQuery {
  readonly merchantId: string | undefined;
  readonly sessionId: string | undefined;
}

export type Resolved =
  | { readonly kind: 'merchant'; readonly merchant: MerchantIdentity }
  | { readonly kind: 'no-merchant'; readonly merchantId: string }
  | { readonly kind: 'no-session' }
  | { readonly kind: 'foreign' };

export class Merchants {
  readonly #reader: PlatformReader;

  constructor(reader: PlatformReader) {
    this.#reader = reader;
  }

  async ping(): Promise<void> {
    await this.#reader.read((query) => query('SELECT 1 FROM platform_merchant LIMIT 1', []));
  }

  /** Resolves a merchant id, a session id or both to one merchant, if the requester may act for it (ST-19, C-38, C-39). */
  async resolve(asked: MerchantQuery, asker: Requester): Promise<Resolved> {
    return this.#reader.read(async (query) => {
      const inSession = asked.sessionId === undefined ? undefined : await sessionOf(query, asked.sessionId, asker);
      if (inSession === null) return { kind: 'no-session' };
      const working = asker.sessionId === null ? undefined : await sessionOf(query, asker.sessionId, asker);
      if (working === null) return { kind: 'foreign' };
      const sessions = [inSession, working].filter((session) => session !== undefined);
      if (sessions.some((session) => session.tenant_id !== asker.caller.tenantId || !mayActFor(asker.caller, session.user_id)))
        return { kind: 'foreign' };
      const named = new Set([
        ...sessions.map((session) => session.merchant_id),
        ...(asked.merchantId === undefined ? [] : [asked.merchantId]),
      ]);
      const [merchantId = ''] = named;
      if (named.size > 1) return { kind: 'foreign' };
      const merchant = await merchantOf(query, merchantId, asker.caller);
      if (!merchant) return { kind: 'no-merchant', merchantId };
      const isTheirs = merchant.tenant_id === asker.caller.tenantId && (sessions.length > 0 || mayActFor(asker.caller, merchant.user_id));
      return isTheirs ? { kind: 'merchant', merchant } : { kind: 'foreign' };
    });
  }

  /** The row of a resolved merchant; null if it was deleted meanwhile. */
  async row({ merchant_id: id, tenant_id: tenantId }: MerchantIdentity): Promise<MerchantRow | null> {
    const [row] = await this.#reader.read((query) =>
      query<MerchantRow & { merchant_id: string }>(
        `SELECT stripe_account_id, status_summary, display_name, country, business_type
         FROM platform_merchant WHERE merchant_id = $1 AND tenant_id = $2`,
        [id, tenantId],
      ),
    );
    return row ?? null;
  }

  /**
   * Whether the requester may use an account: one of the merchant of the working session, or without a session of one of their merchants.
   * Also whether all URLs have an origin on the list of their tenant.
   */
  async checkAccess(
    account: string,
    asker: Requester,
    urls: readonly string[] = [],
  ): Promise<{ readonly account: boolean; readonly urls: boolean }> {
    const { caller, sessionId } = asker;
    return this.#reader.read(async (query) => {
      const rows = await query<{ user_id: string; session_user_id: string | null }>(
        `SELECT m.user_id, s.user_id AS session_user_id
         FROM platform_merchant m
         LEFT JOIN platform_session s ON s.session_id = $3 AND s.tenant_id = m.tenant_id AND s.merchant_id = m.merchant_id
         WHERE m.tenant_id = $1 AND m.stripe_account_id = $2`,
        [caller.tenantId, account, sessionId],
      );
      const owners = rows.map((row) => (sessionId === null ? row.user_id : row.session_user_id));
      const isTheirs = owners.some((owner) => owner !== null && mayActFor(caller, owner));
      return { account: isTheirs, urls: !isTheirs || (await areAllowedOrigins(query, caller.tenantId, urls)) };
    });
  }
}

/** A user may act for their own merchants; a key with the scope `merchant:any` for all of its tenant. */
function mayActFor(caller: Caller, owner: string): boolean {
  return caller.userId === owner || hasScope(caller, 'merchant:any');
}

/** Prefers the requester's tenant. Rows of other tenants are read only to tell foreign ids from unknown ones. */
async function sessionOf(query: Query, id: string, { caller }: Requester): Promise<SessionRow | null> {
  const [session] = await query<SessionRow & { session_id: string }>(
    'SELECT tenant_id, merchant_id, user_id FROM platform_session WHERE session_id = $1 ORDER BY (tenant_id = $2) DESC LIMIT 1',
    [id, caller.tenantId],
  );
  return session ?? null;
}

async function merchantOf(query: Query, id: string, caller: Caller): Promise<MerchantIdentity | null> {
  const [merchant] = await query<MerchantIdentity & { [column: string]: unknown }>(
    'SELECT merchant_id, tenant_id, user_id, version FROM platform_merchant WHERE merchant_id = $1 ORDER BY (tenant_id = $2) DESC LIMIT 1',
    [id, caller.tenantId],
  );
  return merchant ?? null;
}

async function areAllowedOrigins(query: Query, tenantId: string, urls: readonly string[]): Promise<boolean> {
  const origins = new Set(urls.map((url) => new URL(url).origin));
  if (origins.size === 0) return true;
  const rows = await query('SELECT origin FROM platform_return_origin WHERE tenant_id = $1 AND origin = ANY($2)', [tenantId, [...origins]]);
  return rows.length === origins.size;
}

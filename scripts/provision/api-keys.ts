import { userScopes, type Tier } from '#lib/contracts';
import { apiKeyId, hashApiKey, mintApiKey } from '#lib/platform';
import type { Client } from 'pg';

export interface ApiKeyGrant {
  readonly tenantId: string;
  readonly userId: string | null;
  readonly tier: Tier;
  readonly scopes: readonly string[];
  /** Whether the tools that it serves may be called without an administrator. */
  readonly approvesTools?: boolean;
}

export const adminKey: ApiKeyGrant = { tenantId: 'demo', userId: null, tier: 'vip', scopes: ['*'] };
export const userKey: ApiKeyGrant = { tenantId: 'demo', userId: 'user_001', tier: 'pro', scopes: userScopes };
export const serveKey: ApiKeyGrant = { tenantId: 'demo', userId: null, tier: 'pro', scopes: ['tools:serve'], approvesTools: true };

/** The kept key while it is valid and grants exactly this, else a new one. */
export async function ensureApiKey(client: Client, grant: ApiKeyGrant, kept: string | undefined): Promise<string> {
  if (kept && (await isValid(client, grant, kept))) return kept;
  return createApiKey(client, grant);
}

export async function createApiKey(
  client: Client,
  { tenantId, userId, tier, scopes, approvesTools = false }: ApiKeyGrant,
): Promise<string> {
  const { id, key, hash } = mintApiKey();
  await client.query(
    'INSERT INTO api_key (id, hash, tenant_id, user_id, tier, scopes, approves_tools) VALUES ($1, $2, $3, $4, $5, $6, $7)',
    [id, hash, tenantId, userId, tier, scopes, approvesTools],
  );
  return key;
}

async function isValid(
  client: Client,
  { tenantId, userId, tier, scopes, approvesTools = false }: ApiKeyGrant,
  key: string,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `SELECT 1 FROM api_key WHERE id = $1 AND hash = $2 AND tenant_id = $3 AND user_id IS NOT DISTINCT FROM $4 AND tier = $5 AND scopes = $6
       AND approves_tools = $7 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
    [apiKeyId(key), hashApiKey(key), tenantId, userId, tier, scopes, approvesTools],
  );
  return rowCount === 1;
}

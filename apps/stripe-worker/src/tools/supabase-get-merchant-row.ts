import { hash } from 'node:crypto';
import { supabaseGetMerchantRow } from '#lib/contracts';
import type { MerchantIdentity, MerchantRow } from '../platform/merchants.js';
import { handle } from '../services.js';

export const handleSupabaseGetMerchantRow = handle(supabaseGetMerchantRow, async (input, context) => {
  const { merchants, caller, sessionId, network, recordFacts, error, pseudonym, version } = context;
  const { merchant_id: merchantId, user_session_id: userSessionId } = input;
  recordFacts({
    ...(merchantId !== undefined && { merchant_id_hash: pseudonym(merchantId) }),
    ...(userSessionId !== undefined && { user_session_id_hash: pseudonym(userSessionId) }),
  });
  const start = performance.now();
  const measured = (rows: number) => recordFacts({ sql_ms: Math.round((performance.now() - start) * 100) / 100, rows });
  const resolved = await network(() => merchants.resolve({ merchantId, sessionId: userSessionId }, { caller, sessionId }));
  const observed_at = new Date().toISOString();
  measured(resolved.kind === 'merchant' ? 1 : 0);
  switch (resolved.kind) {
    case 'no-session':
      throw error('not_found', "There is no such session; 'user_session_id' may have expired");
    case 'foreign':
      throw error('unauthorized', "The merchant is not one of the caller's");
    case 'no-merchant':
      return { merchant_id: resolved.merchantId, found: false, observed_at };
    case 'merchant': {
      version(tagOf(resolved.merchant));
      const row = await network(() => merchants.row(resolved.merchant));
      measured(row ? 2 : 1);
      const { merchant_id } = resolved.merchant;
      return row ? { merchant_id, ...shown(row), found: true, observed_at } : { merchant_id, found: false, observed_at };
    }
  }
});

/** The version of the answer: changes with the row, and with the merchant that a session refers to. */
function tagOf({ merchant_id: id, tenant_id: tenantId, version }: MerchantIdentity): string {
  return hash('sha256', JSON.stringify([tenantId, id, version]), 'base64url').slice(0, 22);
}

function shown({ stripe_account_id, status_summary, display_name, country, business_type }: MerchantRow) {
  const profile = { ...(display_name && { display_name }), ...(country && { country }), ...(business_type && { business_type }) };
  return {
    ...(stripe_account_id && { stripe_account_id }),
    ...(status_summary && { status_summary }),
    ...(Object.keys(profile).length > 0 && { profile }),
  };
}

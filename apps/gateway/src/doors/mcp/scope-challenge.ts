import { z } from 'zod';
import type { Caller, Catalog } from '#lib/contracts';
import { isToken } from '../../callers/tokens.js';
import { missingScope } from '../../calls/authorise.js';

const toolCall = z.looseObject({ method: z.literal('tools/call'), params: z.looseObject({ name: z.string() }) });

/**
 * The scopes that a client should ask its issuer for before it calls this tool, or null. Only tokens can be exchanged for
 * wider ones; the call of a key is refused in its result.
 */
export function scopeToAskFor(catalog: Catalog, caller: Caller, body: unknown): string | null {
  if (!isToken(caller.credentialId)) return null;
  const parsed = toolCall.safeParse(body);
  const contract = parsed.success ? catalog.find(parsed.data.params.name.split('@')[0] ?? '') : undefined;
  const missing = contract && missingScope(caller, contract);
  return missing ? [...caller.scopes, missing].join(' ') : null;
}

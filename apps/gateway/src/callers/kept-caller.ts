import { z } from 'zod';
import { tiers, type Caller } from '#lib/contracts';

/** A caller as rows keep it, who has left something to be done later. */
export const keptCaller: z.ZodType<Caller> = z.object({
  tenantId: z.string(),
  userId: z.string().nullable(),
  tier: z.enum(tiers),
  scopes: z.array(z.string()),
  tools: z.array(z.string()).optional(),
  toolset: z.string().optional(),
  credentialId: z.string(),
  actor: z.object({ userId: z.string().nullable(), tier: z.enum(tiers) }).optional(),
});

/** The caller without what ends with its request. */
export function toKeptCaller({ tenantId, userId, tier, scopes, tools, toolset, credentialId, actor }: Caller) {
  return {
    tenantId,
    userId,
    tier,
    scopes: [...scopes],
    credentialId,
    ...(tools && { tools: [...tools] }),
    ...(toolset !== undefined && { toolset }),
    ...(actor && { actor: { ...actor } }),
  };
}

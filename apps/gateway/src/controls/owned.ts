import { invalidField, domains, hasScope, type Caller } from '#lib/contracts';
import type { ToolDirectory } from '../calls/tool-directory.js';
import { operator } from '../rules/flow/pause-store.js';

/** Whose rows a caller makes and ends: those of the operator, or of its tenant. */
export function ownerOf(caller: Caller): string {
  return hasScope(caller, 'admin') ? operator : caller.tenantId;
}

/** Who made a row. */
export function madeBy({ tenantId }: { readonly tenantId: string }): 'operator' | 'tenant' {
  return tenantId === operator ? 'operator' : 'tenant';
}

/**
 * A name that nothing has would be about no call, and nobody would see it. Throws INVALID_PARAMS or TOOL_NOT_FOUND.
 * @returns the same with the tool's own name
 */
export function knownTarget<Body extends { readonly tool?: string | undefined; readonly domain?: string | undefined }>(
  tools: ReturnType<ToolDirectory['of']>,
  body: Body,
): Body {
  const tool = body.tool === undefined ? undefined : tools.find(body.tool).name;
  const known = [...Object.keys(domains), ...tools.catalog.tools.map(({ domain, served }) => served?.domain ?? domain)];
  if (body.domain !== undefined && !known.includes(body.domain))
    throw invalidField('domain', `must be one of [${[...new Set(known)].join(', ')}]`);
  return { ...body, ...(tool !== undefined && { tool }) };
}

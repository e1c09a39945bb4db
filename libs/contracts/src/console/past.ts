// What the lists of the past have in common: the history of calls, their sums, the audit.
import { z } from 'zod';

const firstMs = Date.parse('2000-01-01T00:00:00Z');
const lastMs = Date.parse('2999-12-31T23:59:59.999Z');
const isInRange = (text: string): boolean => Date.parse(text) >= firstMs && Date.parse(text) <= lastMs;
const outOfRange = 'must be in the years 2000 to 2999';

/** A moment, ISO 8601 with an offset. */
export const moment = z.iso.datetime({ offset: true }).refine(isInRange, { error: outOfRange });
/** A day of UTC. */
export const pastDay = z.iso.date().refine(isInRange, { error: outOfRange });

export const pageLimit = z.coerce.number().int().min(1).max(1_000);
export const pageCursor = z.string().max(8_192);
export const pagination = z.strictObject({ has_more: z.boolean(), next_cursor: z.string().nullable() });

/** One of all tenants, so it needs the scope `all`: with any other it would silently match nothing. */
export const tenantFilter = z.string().max(128).optional();
export const isTenantOfAll = (query: { readonly tenant?: string | undefined; readonly scope: string }): boolean =>
  query.tenant === undefined || query.scope === 'all';
export const tenantFault = { path: ['tenant'], error: 'needs scope=all' };

import { z } from 'zod';
import { moment, isTenantOfAll, pageCursor, pageLimit, pagination, tenantFault, tenantFilter } from './past.js';

const tables = [
  'api_key',
  'served_tool',
  'mcp_server',
  'schedule',
  'webhook',
  'policy',
  'budget',
  'toolset',
  'pause',
  'flow',
  'provider',
  'connection',
] as const;
const others = [
  // The calls of a batch are there, or it is cancelled.
  'batch.update',
  // A schedule that somebody called by hand.
  'schedule_run.insert',
  // A webhook that somebody tested, and a delivery that somebody had sent again.
  'webhook_delivery.insert',
  'webhook_delivery.update',
  // Somebody has decided what was asked, or nobody did in time.
  'input_request.update',
] as const;

/** What is audited, as the table and what was done to its row. */
export const auditActions = [...tables.flatMap((table) => [`${table}.insert`, `${table}.update`, `${table}.delete`] as const), ...others];
export type AuditAction = (typeof auditActions)[number];

/** Parameters of `GET /audit`. Each filter that is given has to be met. */
export const auditQuery = z
  .strictObject({
    /** Changes of the caller's own tenant; `all` has those of every tenant, and of what belongs to none, such as outside servers. */
    scope: z.enum(['tenant', 'all']).default('tenant'),
    tenant: tenantFilter,
    action: z.enum(auditActions).optional(),
    /** The principal that asked for it. */
    actor: z.string().max(300).optional(),
    /** What names the row: the id of a key, or tenant, name and version of a tool. */
    subject: z.string().max(600).optional(),
    /** At or after. */
    from: moment.optional(),
    /** Before. */
    to: moment.optional(),
    cursor: pageCursor.optional(),
    limit: pageLimit.default(100),
  })
  .refine(isTenantOfAll, tenantFault);
export type AuditQuery = z.infer<typeof auditQuery>;

/** A change of a key, an approval or an outside server. */
const auditEvent = z.strictObject({
  id: z.uuid(),
  at: z.iso.datetime(),
  /** Null for what no caller asked for, such as SQL by hand. */
  actor: z.string().nullable(),
  /** The name of the connection to Postgres that made it. */
  application: z.string(),
  action: z.string(),
  subject: z.string(),
  tenant_id: z.string().nullable(),
  /** The columns that an update changed. */
  changed: z.array(z.string()),
  /** The row afterwards, or before it was deleted, without secrets. */
  facts: z.record(z.string(), z.unknown()),
});
export type AuditEvent = z.infer<typeof auditEvent>;

/** Answer of `GET /audit`: the latest come first. */
export const auditPage = z.strictObject({ events: z.array(auditEvent), pagination });
export type AuditPage = z.infer<typeof auditPage>;

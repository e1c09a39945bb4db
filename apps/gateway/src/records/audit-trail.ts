import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { principal, type AuditEvent, type AuditPage, type AuditQuery, type Caller } from '#lib/contracts';
import type { Database } from '#lib/platform';
import { requireScopeOf } from '../http/tenant-rights.js';
import { stored } from '../http/stored.js';
import { Cursors } from '../http/cursors.js';
import { Stores } from '../stores.js';

type AuditRow = Awaited<ReturnType<Database['auditEvent']['findMany']>>[number];

const eventPlace = z.strictObject({ at: z.number(), id: z.uuid() });
const shownFacts = z.record(z.string(), z.unknown());

/** Changes of keys, approvals and outside servers, as triggers wrote them. */
@Injectable()
export class AuditTrail {
  readonly #cursors: Cursors<z.infer<typeof eventPlace>>;

  constructor(private readonly stores: Stores) {
    this.#cursors = new Cursors(stores.settings.SEALING_KEYS, eventPlace);
  }

  /** Throws PERMISSION_DENIED for changes of other tenants without the scope `admin`, INVALID_PARAMS for a cursor of another query or caller. */
  async page(caller: Caller, { cursor, limit, ...query }: AuditQuery): Promise<AuditPage> {
    requireScopeOf(caller, query.scope, 'Changes');
    const binding = JSON.stringify([principal(caller), query]);
    const place = cursor === undefined ? null : this.#cursors.open(cursor, binding);
    const { scope, tenant, action, actor, subject, from, to } = query;
    const behind = place && new Date(place.at);
    const rows = await stored('The audit cannot be read at the moment', () =>
      this.stores.database.auditEvent.findMany({
        where: {
          ...(tenant !== undefined && { tenantId: tenant }),
          ...(scope === 'tenant' && { tenantId: caller.tenantId }),
          ...(action !== undefined && { action }),
          ...(actor !== undefined && { actor }),
          ...(subject !== undefined && { subject }),
          at: { ...(from !== undefined && { gte: from }), ...(to !== undefined && { lt: to }), ...(behind && { lte: behind }) },
          ...(place && behind && { OR: [{ at: { lt: behind } }, { id: { lt: place.id } }] }),
        },
        orderBy: [{ at: 'desc' }, { id: 'desc' }],
        take: limit + 1,
      }),
    );
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return {
      events: shown.map(eventOf),
      pagination: {
        has_more: last !== undefined,
        next_cursor: last ? this.#cursors.seal({ at: last.at.getTime(), id: last.id }, binding) : null,
      },
    };
  }
}

function eventOf({ id, at, actor, application, action, subject, tenantId, changed, facts }: AuditRow): AuditEvent {
  return {
    id,
    at: at.toISOString(),
    actor,
    application,
    action,
    subject,
    tenant_id: tenantId,
    changed,
    facts: shownFacts.parse(facts),
  };
}

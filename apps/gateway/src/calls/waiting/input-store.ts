import { Inject, Injectable } from '@nestjs/common';
import type { InputState } from '#lib/contracts';
import { changeAs, modelRows, type Database } from '#lib/platform';
import { storeAsked, type NewInputRow } from '#lib/transport';
import { Outbox } from '../../outbox/outbox.js';
import { decidedEvent } from '../../outbox/told-events.js';
import type { InputRow } from './input-row.js';
import { Stores } from '../../stores.js';

/** How it came to its end. */
export interface Settlement {
  readonly state: Exclude<InputState, 'open'>;
  /** Null where nobody decided. */
  readonly by: string | null;
  readonly at: number;
  readonly reason: string | null;
  /** What was approved, where that is something else than was asked for. */
  readonly arguments?: string | null | undefined;
  readonly edited?: boolean | undefined;
}

export interface InputPlace {
  readonly at: number;
  readonly id: string;
}

/** Which input requests are listed. */
export interface InputSelection {
  readonly tenantId: string;
  /** Only those of this principal's calls; with `orApprovals` the approvals of others too. Null for all of the tenant. */
  readonly of: { readonly who: string; readonly orApprovals: boolean } | null;
  readonly state: InputState | null;
  readonly kind: string | null;
  readonly tool: string | null;
  readonly now: number;
}

/** Calls that go on with one account. Those beyond find it when their rest is over. */
const mostConnected = 1_000;

type Tables = Pick<Database, 'inputRequest' | '$transaction' | '$queryRaw' | '$executeRaw'>;

/** Input requests in Postgres. Rejects when it is away. */
@Injectable()
export class InputStore {
  constructor(
    // Of the namespace of its Redis alone: rows of others are none of its own.
    @Inject(Stores) private readonly stores: { readonly database: Tables; readonly settings: Pick<Stores['settings'], 'INVOQ_NAMESPACE'> },
    @Inject(Outbox) private readonly outbox: Pick<Outbox, 'add'>,
  ) {}

  /** Nothing happens where it is there already. */
  async create(row: NewInputRow): Promise<void> {
    await storeAsked({ database: this.stores.database, namespace: this.stores.settings.INVOQ_NAMESPACE }, row);
  }

  /** Of one whose call was not accepted. */
  async remove(id: string): Promise<void> {
    await this.stores.database.inputRequest.deleteMany({ where: { id, state: 'open' } });
  }

  async byId(id: string): Promise<InputRow | null> {
    return this.stores.database.inputRequest.findUnique({ where: { id, namespace: this.stores.settings.INVOQ_NAMESPACE } });
  }

  /** Newest first, those after a place. */
  async page(selection: InputSelection, after: InputPlace | null, most: number): Promise<readonly InputRow[]> {
    const { tenantId, of, kind, tool } = selection;
    const at = after && new Date(after.at);
    return this.stores.database.inputRequest.findMany({
      where: {
        tenantId,
        namespace: this.stores.settings.INVOQ_NAMESPACE,
        ...(kind !== null && { kind }),
        ...(tool !== null && { tool }),
        AND: [
          stateIn(selection),
          of ? { OR: [{ requestedBy: of.who }, ...(of.orApprovals ? [{ kind: 'approval' }] : [])] } : {},
          after && at ? { OR: [{ createdAt: { lt: at } }, { createdAt: at, id: { lt: after.id } }] } : {},
        ],
      },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: most,
    });
  }

  /** Those that wait for an account of a user. */
  async openConnections({ tenantId, owner, provider }: { readonly tenantId: string; readonly owner: string; readonly provider: string }) {
    return this.stores.database.inputRequest.findMany({
      where: { tenantId, requestedBy: owner, provider, kind: 'connection', state: 'open', namespace: this.stores.settings.INVOQ_NAMESPACE },
      orderBy: { createdAt: 'asc' },
      take: mostConnected,
    });
  }

  /** Those with an address that an outside server has asked somebody to open, newest first. @param tenantId null for every tenant */
  async openRequestsOf({ tenantId, server }: { readonly tenantId: string | null; readonly server: string }) {
    return this.stores.database.inputRequest.findMany({
      where: {
        ...(tenantId !== null && { tenantId }),
        namespace: this.stores.settings.INVOQ_NAMESPACE,
        kind: 'question',
        state: 'open',
        request: { not: null },
        tool: { startsWith: `${server}__` },
      },
      orderBy: { createdAt: 'desc' },
      take: mostConnected,
    });
  }

  /** When a sweeper looks at it, while it is open. */
  async lookAt(id: string, at: Date): Promise<void> {
    await this.stores.database.inputRequest.updateMany({ where: { id, state: 'open' }, data: { lookAt: at } });
  }

  /** Those that it is time to look at. */
  async dueAt(now: Date, most: number): Promise<readonly InputRow[]> {
    return modelRows<InputRow>(
      this.stores.database.$queryRaw`
      SELECT * FROM input_request WHERE look_at <= ${now} AND namespace = ${this.stores.settings.INVOQ_NAMESPACE} ORDER BY look_at LIMIT ${most}`,
      { scopes: [] },
    );
  }

  /** Notes how it came to its end, in the audit and for webhooks too. @returns false where that was noted before */
  async settle(id: string, { state, by, at, reason, arguments: approved, edited = false }: Settlement): Promise<boolean> {
    const data = { state, decidedBy: by, decidedAt: new Date(at), reason, edited, lookAt: null };
    return changeAs(this.stores.database, by ?? '', async (transaction) => {
      const { count } = await transaction.inputRequest.updateMany({
        where: { id, state: 'open' },
        data: { ...data, ...(approved !== undefined && { arguments: approved }) },
      });
      const row = count > 0 && (await transaction.inputRequest.findUnique({ where: { id } }));
      if (row) await this.outbox.add(transaction, [decidedEvent(row)]);
      return count > 0;
    });
  }

  /** Forgets those that came to their end before a time. */
  async forget(before: Date): Promise<void> {
    await this.stores.database.$executeRaw`DELETE FROM input_request WHERE decided_at < ${before}`;
  }
}

/** One that nobody has looked at since its end is not open any more. */
function stateIn({ state, now }: InputSelection) {
  const end = new Date(now);
  if (state === null) return {};
  if (state === 'open') return { state, expiresAt: { gt: end } };
  if (state === 'expired') return { OR: [{ state }, { state: 'open', expiresAt: { lte: end } }] };
  return { state };
}

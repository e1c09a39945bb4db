// What was done with rights of administration, as the gateway tells it.
import { useQuery } from '@tanstack/react-query';
import type { AuditEvent } from '#lib/contracts';
import { windowOf } from '../language/windows.js';
import { api } from './api.js';
import { tableOf } from './audited-table.js';
import { useTimedPages } from './use-pages.js';

export interface AuditFilter {
  readonly scope: 'tenant' | 'all';
  readonly tenant?: string | undefined;
  readonly action?: string | undefined;
  readonly actor?: string | undefined;
  readonly subject?: string | undefined;
  /** A window: the last 7 days. */
  readonly since?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

const key = 'audit';
const pageSize = 100;
const exportPageSize = 1_000;
/** Rows beyond are left out of a file, and it is told. */
const mostExported = 20_000;

export function useAudit({ since, from: givenFrom, ...filter }: AuditFilter) {
  return useTimedPages({
    key: [key, filter, givenFrom],
    window: windowOf(since),
    read: ({ from = givenFrom, cursor }) => api.audit({ ...filter, from, cursor, limit: pageSize }),
  });
}

/** Every entry that a filter lets through, and whether there were more than are read. @param filter without a window */
export async function readAudit({ since: _none, ...filter }: AuditFilter) {
  const events: AuditEvent[] = [];
  let cursor: string | undefined;
  do {
    const page = await api.audit({ ...filter, cursor, limit: exportPageSize });
    events.push(...page.events);
    cursor = page.pagination.next_cursor ?? undefined;
  } while (cursor !== undefined && events.length < mostExported);
  return { events, isCut: cursor !== undefined };
}

/** Where an entry is: no list has to be read up to it. */
export interface EntryPlace {
  readonly scope: 'tenant' | 'all';
  readonly at: string;
  readonly id: string;
}

/** One entry; null for one that is kept no more, or is another tenant's. @param known the entry, where a list has it */
export function useEntry({ scope, at, id }: EntryPlace, known: AuditEvent | undefined) {
  return useQuery({
    queryKey: [key, 'entry', scope, at, id],
    queryFn: async () => (await read({ scope, from: at, to: after(at) })).find((event) => event.id === id) ?? null,
    ...(known && { initialData: known }),
  });
}

/** The row before an update of it, as the entry before tells it; null where none is kept. */
export function useRowBefore(event: AuditEvent, scope: 'tenant' | 'all') {
  const { id, at, action, subject, tenant_id } = event;
  return useQuery({
    queryKey: [key, 'before', scope, id],
    enabled: action.endsWith('.update'),
    queryFn: async () => {
      const tenant = scope === 'all' && tenant_id !== null ? tenant_id : undefined;
      const known = await read({ scope, tenant, subject, to: after(at) });
      const ofRow = known.filter((one) => one.tenant_id === tenant_id && tableOf(one) === tableOf(event));
      const place = ofRow.findIndex((one) => one.id === id);
      return (place === -1 ? undefined : ofRow[place + 1]?.facts) ?? null;
    },
  });
}

async function read(filter: AuditFilter): Promise<readonly AuditEvent[]> {
  return (await api.audit({ ...filter, limit: exportPageSize })).events;
}

function after(at: string): string {
  return new Date(new Date(at).getTime() + 1).toISOString();
}

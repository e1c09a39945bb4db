// Whose a call is, and what it used: what `GET /jobs/{id}` leaves out stands in the lists.
import { useQuery } from '@tanstack/react-query';
import type { PastCall } from '#lib/client';
import type { CallRow } from '#lib/contracts';
import { api, type CallDetail } from './api.js';
import { invoq } from './gateway.js';
import { useScope } from './session.js';

const lateMs = 1_500;
const mostTries = 4;
/** Calls that were accepted, or ended, in one millisecond. */
const mostAtOnce = 100;

/** The row of a call in the list of those that are kept, and in the history, where it is a moment after its end. */
export function useCallPlace(call: Pick<CallDetail, 'job_id' | 'tool_name' | 'created_at' | 'finished_at'>) {
  const [isAdmin, isTenantAdmin] = [useScope('admin'), useScope('tenant:admin')];
  const scope = isAdmin ? 'all' : isTenantAdmin ? 'tenant' : 'mine';
  const filter = { scope, tool: call.tool_name, limit: mostAtOnce } as const;
  const isThis = ({ job_id }: { readonly job_id: string }) => job_id === call.job_id;
  const row = useQuery({
    queryKey: ['call-row', call.job_id],
    queryFn: async (): Promise<CallRow | null> => (await api.calls({ ...filter, ...momentOf(call.created_at) })).jobs.find(isThis) ?? null,
  });
  const past = useQuery({
    queryKey: ['call-past', call.job_id],
    queryFn: async (): Promise<PastCall | null> =>
      (await invoq.history({ ...filter, ...momentOf(call.finished_at ?? '') })).calls.find(isThis) ?? null,
    enabled: call.finished_at !== null,
    refetchInterval: ({ state }) => (state.data === null && state.dataUpdateCount < mostTries ? lateMs : false),
  });
  return { row: row.data ?? past.data ?? null, past: past.data ?? null };
}

function momentOf(iso: string): { readonly from: string; readonly to: string } {
  return { from: iso, to: new Date(Date.parse(iso) + 1).toISOString() };
}

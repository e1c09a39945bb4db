// Lists of calls: pages from the gateway, kept up to date by its feed. A row stays where it is; what is new waits until it is asked for.
import { useMemo, useState } from 'react';
import type { PastCall } from '#lib/client';
import type { CallRow, CallOutcome, CallPage } from '#lib/contracts';
import { windowOf, type Window } from '../language/windows.js';
import { api } from './api.js';
import { invoq } from './gateway.js';
import { queries } from './queries.js';
import { queryString } from './query-string.js';
import { useBatches } from './use-batches.js';
import { useFeed } from './use-feed.js';
import { useTimedPages } from './use-pages.js';

export interface CallFilterValues {
  readonly scope?: string;
  readonly tenant?: string;
  readonly state?: string;
  readonly outcome?: string;
  readonly tool?: string;
  readonly code?: string;
  readonly user?: string;
  /** A window: the last hour, or the last 30 days. */
  readonly since?: string;
  readonly from?: string;
  readonly to?: string;
}

const pageSize = 100;
/** What the feed tells is shown so often, however much it is. */
const flushMs = 250;
/** Calls that the feed has told of, and that are kept; the oldest go. */
const mostKept = 2_000;

interface Pushed {
  readonly key: string;
  readonly calls: ReadonlyMap<string, CallRow>;
  /** Whether there were more than are kept. */
  readonly isCut: boolean;
}

export function useCallList({ since, tenant: ofTenant, ...rest }: CallFilterValues) {
  const filters = { ...rest, ...(rest.scope === 'all' && ofTenant !== undefined && { tenant: ofTenant }) };
  const window = windowOf(since);
  const isPast = isOfHistory(window);
  const key = JSON.stringify([filters, isPast]);
  const { scope = 'mine', tenant, tool, user } = filters;
  const pages = useTimedPages({
    key: ['calls', key],
    window,
    // A call is in the history a moment after its end, and nobody tells when.
    settles: isPast,
    read: ({ from = filters.from, cursor }, signal): Promise<CallPage> =>
      isPast ? readHistory({ ...filters, scope, from, cursor }, signal) : api.calls({ ...filters, scope, limit: pageSize, from, cursor }),
  });
  const [pushed, setPushed] = useState<Pushed>({ key, ...nothing });
  const changes = pushed.key === key ? pushed : nothing;
  const push = useBatches<CallRow>(key, flushMs, (calls) =>
    setPushed((before) => withCalls(before.key === key ? before : { key, ...nothing }, calls)),
  );
  // Without the filters that a call may cease to fit: a row that is shown follows its call to the end.
  const feed = useFeed(isPast ? null : `jobs/feed${queryString({ scope, tenant, tool, user })}`, ({ event, data }) => {
    if (event === 'reset') void pages.refetch();
    if (event !== 'run') return;
    const call: CallRow = JSON.parse(data);
    push(call);
  });
  const listed = useMemo(() => pages.data?.pages.flatMap(({ jobs }) => jobs) ?? [], [pages.data]);
  const ids = useMemo(() => new Set(listed.map(({ job_id }) => job_id)), [listed]);
  const waiting = [...changes.calls.values()].filter((call) => !ids.has(call.job_id) && fits(call, filters)).length;
  const calls = listed.map((call) => changes.calls.get(call.job_id) ?? call);
  /** Begins anew with the newest. */
  const showWaiting = () => {
    setPushed({ key, ...nothing });
    queries.setQueryData<typeof pages.data>(['calls', key, window], (known) =>
      known ? { pages: known.pages.slice(0, 1), pageParams: known.pageParams.slice(0, 1) } : known,
    );
    void pages.refetch();
  };
  return { pages, calls, isPast, waiting: pages.data ? waiting : 0, isCut: changes.isCut, showWaiting, feed };
}

const nothing: Omit<Pushed, 'key'> = { calls: new Map(), isCut: false };

function withCalls(before: Pushed, calls: readonly CallRow[]): Pushed {
  const kept = new Map(before.calls);
  for (const call of calls) {
    // A call that is told of again is no older than others.
    kept.delete(call.job_id);
    kept.set(call.job_id, call);
  }
  const tooMany = Math.max(0, kept.size - mostKept);
  for (const id of [...kept.keys()].slice(0, tooMany)) kept.delete(id);
  return { ...before, calls: kept, isCut: before.isCut || tooMany > 0 };
}

/** Calls themselves are kept for a day; what is older is in the history, as long as it ended. */
function isOfHistory(window: Window | undefined): boolean {
  return window === '7d' || window === '30d' || window === '90d';
}

const pastKey = 'past-call';

interface PastAsked extends Omit<CallFilterValues, 'from'> {
  readonly from: string | undefined;
  readonly cursor: string | undefined;
}

async function readHistory(filters: PastAsked, signal: AbortSignal): Promise<CallPage> {
  const { scope, state, outcome, ...rest } = filters;
  const page = await invoq.history(
    {
      ...rest,
      limit: pageSize,
      scope: scopes.find((one) => one === scope),
      state: endStates.find((one) => one === state),
      outcome: pastOutcomes.find((one) => one === outcome),
    },
    { signal },
  );
  for (const call of page.calls) queries.setQueryData([pastKey, call.job_id], call);
  return { jobs: [...page.calls], pagination: page.pagination };
}

/** What the history has said of a call in this page's life. */
export function knownPast(jobId: string): PastCall | undefined {
  return queries.getQueryData([pastKey, jobId]);
}

const scopes = ['mine', 'tenant', 'all'] as const;
const endStates = ['completed', 'failed', 'cancelled'] as const;
const pastOutcomes = ['succeeded', 'refused', 'failed', 'cancelled'] as const satisfies readonly CallOutcome[];

export const callOutcomes = [...pastOutcomes, 'open'] as const;

export function outcomeOf({ state, error }: Pick<CallRow, 'state' | 'error'>): CallOutcome {
  if (state === 'completed') return error === null ? 'succeeded' : 'refused';
  return state === 'failed' || state === 'cancelled' ? state : 'open';
}

function fits(call: CallRow, { state, outcome, code, from, to }: CallFilterValues): boolean {
  if (state !== undefined && call.state !== state) return false;
  if (outcome !== undefined && outcomeOf(call) !== outcome) return false;
  if (code !== undefined && call.error?.code !== code && call.error?.native_code !== code) return false;
  if (from !== undefined && new Date(call.created_at) < new Date(from)) return false;
  return to === undefined || new Date(call.created_at) < new Date(to);
}

export function isOpen({ state }: Pick<CallRow, 'state'>): boolean {
  return state === 'waiting' || state === 'active' || state === 'delayed' || state === 'resting';
}

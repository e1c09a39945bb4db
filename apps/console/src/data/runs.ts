// Lists of runs: pages from the gateway, kept up to date by its feed. A row stays where it is; what is new waits until it is asked for.
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Run } from '#lib/contracts';
import { api } from './api.js';
import { queryString } from './query-string.js';
import { useFeed } from './use-feed.js';

export interface RunFilterValues {
  readonly scope?: string;
  readonly state?: string;
  readonly tool?: string;
  readonly code?: string;
  readonly user?: string;
  readonly from?: string;
  readonly to?: string;
}

const pageSize = 100;
const firstPage: string | undefined = undefined;

export function useRunList(filters: RunFilterValues) {
  const key = JSON.stringify(filters);
  const pages = useInfiniteQuery({
    queryKey: ['runs', key],
    queryFn: ({ pageParam }) => api.runs({ scope: 'mine', ...filters, limit: pageSize, cursor: pageParam }),
    initialPageParam: firstPage,
    getNextPageParam: ({ pagination }) => pagination.next_cursor ?? undefined,
  });
  const [pushed, setPushed] = useState<{ readonly key: string; readonly runs: ReadonlyMap<string, Run> }>({ key, runs: new Map() });
  const [accepted, setAccepted] = useState<{ readonly key: string; readonly ids: readonly string[] }>({ key, ids: [] });
  const changes = pushed.key === key ? pushed.runs : noRuns;
  // Without the filters that a run may cease to fit: a row that is shown follows its run to the end.
  const { scope = 'mine', tool, user } = filters;
  const feed = useFeed(`jobs/feed${queryString({ scope, tool, user })}`, ({ event, data }) => {
    if (event === 'reset') void pages.refetch();
    if (event !== 'run') return;
    const run: Run = JSON.parse(data);
    setPushed((before) => ({ key, runs: new Map(before.key === key ? before.runs : []).set(run.job_id, run) }));
  });
  const listed = useMemo(() => pages.data?.pages.flatMap(({ jobs }) => jobs) ?? [], [pages.data]);
  const ids = useMemo(() => new Set(listed.map(({ job_id }) => job_id)), [listed]);
  const shownIds = accepted.key === key ? accepted.ids : [];
  const isShown = new Set(shownIds);
  const waiting = [...changes.values()].filter((run) => !ids.has(run.job_id) && !isShown.has(run.job_id) && fits(run, filters));
  const fresh = shownIds.filter((id) => !ids.has(id)).flatMap((id) => changes.get(id) ?? []);
  const runs = [...fresh, ...listed.map((run) => changes.get(run.job_id) ?? run)];
  const showWaiting = () => setAccepted({ key, ids: [...waiting.map(({ job_id }) => job_id).reverse(), ...shownIds] });
  return { pages, runs, waiting: waiting.length, showWaiting, feed };
}

const noRuns: ReadonlyMap<string, Run> = new Map();

function fits(run: Run, { state, code, from, to }: RunFilterValues): boolean {
  if (state !== undefined && run.state !== state) return false;
  if (code !== undefined && run.error?.code !== code && run.error?.native_code !== code) return false;
  if (from !== undefined && new Date(run.created_at) < new Date(from)) return false;
  return to === undefined || new Date(run.created_at) < new Date(to);
}

export function isOpen({ state }: Pick<Run, 'state'>): boolean {
  return state === 'waiting' || state === 'active' || state === 'delayed' || state === 'resting';
}

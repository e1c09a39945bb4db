import { useQuery } from '@tanstack/react-query';
import { invoq } from './gateway.js';
import { queries } from './queries.js';
import { useWhileTouched } from './while-touched.js';

const key = ['flows'];
const everyMs = 5_000;

/** The flows that whoever is signed in may change, and those of the operator. */
export function useFlows() {
  return useQuery({
    queryKey: [...key, 'list'],
    queryFn: async ({ signal }) => (await invoq.flows.list({ signal })).flows,
    refetchInterval: useWhileTouched(everyMs),
  });
}

/** The lines in which calls wait, the longest first. */
export function useFlowLines() {
  return useQuery({
    queryKey: [...key, 'lines'],
    queryFn: ({ signal }) => invoq.flows.lines({ limit: 100 }, { signal }),
    refetchInterval: useWhileTouched(everyMs),
  });
}

/** Reads all that is shown of them again. */
export function flowsChanged(): Promise<void> {
  return queries.invalidateQueries({ queryKey: key });
}

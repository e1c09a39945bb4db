import { useQuery } from '@tanstack/react-query';
import { invoq } from './gateway.js';
import { queries } from './queries.js';
import { useScope } from './session.js';
import { useWhileTouched } from './while-touched.js';

const key = ['pauses'];
const everyMs = 10_000;

/** The pauses that whoever is signed in may end, and those of the operator; nothing is asked for without the right to see them. */
export function usePauses() {
  return useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => (await invoq.pauses.list({ signal })).pauses,
    enabled: useScope('tenant:admin'),
    refetchInterval: useWhileTouched(everyMs),
  });
}

/** Reads all that is shown of them again. */
export function pausesChanged(): Promise<void> {
  return queries.invalidateQueries({ queryKey: key });
}

// Errors as the gateway counts them: refusals that became no job, and tenants' own workers, are among them.
import type { ErrorsFilter } from '#lib/client';
import type { Window } from '../language/windows.js';
import { invoq } from './gateway.js';
import { useTimedPages } from './use-pages.js';
import { useWhileTouched } from './while-touched.js';

const everyMs = 10_000;
const pageSize = 25;

export interface ErrorsAsked extends Pick<ErrorsFilter, 'scope' | 'tenant' | 'tool' | 'code' | 'cause'> {
  readonly window: Window;
}

export function useErrors({ window, ...filter }: ErrorsAsked) {
  return useTimedPages({
    key: ['errors', filter],
    window,
    read: (place, signal) => invoq.errors({ ...filter, ...place, limit: pageSize }, { signal }),
    everyMs: useWhileTouched(everyMs),
  });
}

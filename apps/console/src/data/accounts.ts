// Providers of accounts, and the accounts that are connected there. A token is in none of them.
import { useQuery } from '@tanstack/react-query';
import { invoq } from './gateway.js';
import { queries } from './queries.js';
import { useScope } from './session.js';

const key = ['accounts'];

/** Nothing is asked for without the right to see them. */
export function useProviders() {
  return useQuery({
    queryKey: [...key, 'providers'],
    queryFn: async ({ signal }) => (await invoq.providers.list({ signal })).providers,
    enabled: useScope('tenant:admin'),
  });
}

export function useConnections(scope: 'mine' | 'tenant') {
  return useQuery({
    queryKey: [...key, 'connections', scope],
    queryFn: async ({ signal }) => (await invoq.connections.list({ scope }, { signal })).connections,
    // Accounts are connected on pages of others.
    refetchOnWindowFocus: true,
  });
}

/** Reads all that is shown of them again. */
export function accountsChanged(): Promise<void> {
  return queries.invalidateQueries({ queryKey: key });
}

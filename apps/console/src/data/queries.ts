// What was read from the gateway, kept while a screen needs it.
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { InvoqError } from '#lib/client';

type Listener = () => void;
let onSignedOut: Listener = () => undefined;

/** Called when the gateway no longer knows who this page is. */
export function whenSignedOut(listener: Listener): void {
  onSignedOut = listener;
}

export function noticeError(error: unknown): void {
  if (error instanceof InvoqError && error.code === 'UNAUTHORIZED' && error.status === 401) onSignedOut();
}

export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: noticeError }),
  mutationCache: new MutationCache({
    onError: (...[error, , , mutation]) => {
      // A wrong key at the sign-in is no end of a session.
      if (mutation.meta?.['isSignIn'] !== true) noticeError(error);
    },
  }),
  defaultOptions: {
    // The client retries by itself what may be retried, and nothing is polled: what changes is pushed.
    queries: { retry: false, refetchOnWindowFocus: false, refetchOnReconnect: false, staleTime: 15_000 },
    mutations: { retry: false },
  },
});

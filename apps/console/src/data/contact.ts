// Whether the gateway answers at all. Whatever it says counts, an event of a stream too; where it has said nothing for a while, it is asked.
import { useSyncExternalStore } from 'react';

/** What is younger needs no question. */
const quietMs = 3_000;
/** A gateway that needs longer to say that it is there hangs. */
const patienceMs = 4_000;
const tickMs = 500;

let heardAt = Date.now();
let lostSince: number | null = null;
const listeners = new Set<() => void>();

/** The gateway has said something. */
export function heard(): void {
  heardAt = Date.now();
  set(null);
}

/** `fetch` whose answers count. Those that a proxy gives for a gateway that is away do not. */
export const heardFetch: typeof fetch = async (...asked) => {
  const response = await fetch(...asked);
  if (response.status !== 502 && response.status !== 504) heard();
  return response;
};

/** Since when the gateway gives no answer, epoch ms: whatever is shown is from then or before. Null while it does. */
export function useLostSince(): number | null {
  return useSyncExternalStore(subscribe, () => lostSince);
}

/**
 * Asks whenever it was quiet for long, while the page is in sight, until the signal fires. The question belongs to no session, so it keeps none alive.
 * @param onBack called when the gateway answers again
 */
export async function watchContact(signal: AbortSignal, onBack: () => void): Promise<void> {
  const forget = subscribe(() => {
    if (lostSince === null) onBack();
  });
  signal.addEventListener('abort', forget, { once: true });
  while (!signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, tickMs));
    if (document.visibilityState === 'hidden' || Date.now() - heardAt < quietMs) continue;
    try {
      const patience = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
      const answer = await heardFetch('/healthz', { signal: patience, credentials: 'omit', cache: 'no-store' });
      if (!answer.ok) set(heardAt);
    } catch {
      if (!signal.aborted) set(heardAt);
    }
  }
}

function set(since: number | null): void {
  if ((lostSince === null) === (since === null)) return;
  lostSince = since;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

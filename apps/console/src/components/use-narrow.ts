import { useSyncExternalStore } from 'react';

/** As the style sheets have it. */
const narrow = matchMedia('(max-width: 820px)');

function subscribe(onChange: () => void): () => void {
  narrow.addEventListener('change', onChange);
  return () => narrow.removeEventListener('change', onChange);
}

/** Whether the page is as narrow as that of a phone. */
export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => narrow.matches);
}

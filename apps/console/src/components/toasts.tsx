import { useSyncExternalStore } from 'react';

interface Toast {
  readonly id: number;
  readonly text: string;
}

const shownMs = 6_000;
const listeners = new Set<() => void>();
let shown: readonly Toast[] = [];
let count = 0;

/** Says for a moment what was done, at the edge of the page. */
export function toast(text: string): void {
  const id = ++count;
  set([...shown, { id, text }]);
  setTimeout(() => set(shown.filter((one) => one.id !== id)), shownMs);
}

function set(next: readonly Toast[]): void {
  shown = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function Toasts() {
  const toasts = useSyncExternalStore(subscribe, () => shown);
  return (
    <div className="toasts" role="status">
      {toasts.map(({ id, text }) => (
        <p key={id} className="toast">
          {text}
        </p>
      ))}
    </div>
  );
}

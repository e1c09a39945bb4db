import { useSyncExternalStore } from 'react';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly action: ToastAction | undefined;
}

/** What can be done about it while it is said. */
interface ToastAction {
  readonly label: string;
  readonly run: () => void;
}

const shownMs = 6_000;
const listeners = new Set<() => void>();
let shown: readonly Toast[] = [];
let count = 0;

/** Says for a moment what was done, at the edge of the page. */
export function toast(text: string, action?: ToastAction): void {
  const id = ++count;
  set([...shown, { id, text, action }]);
  // Whoever can do something about it gets the time for it.
  setTimeout(() => forget(id), action ? 4 * shownMs : shownMs);
}

function forget(id: number): void {
  set(shown.filter((one) => one.id !== id));
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
      {toasts.map(({ id, text, action }) => (
        <p key={id} className="toast">
          {text}{' '}
          {action && (
            <button
              type="button"
              className="link"
              onClick={() => {
                forget(id);
                action.run();
              }}
            >
              {action.label}
            </button>
          )}
        </p>
      ))}
    </div>
  );
}

import { useEffect, useEffectEvent, type RefObject } from 'react';

const steps: Readonly<Record<string, number>> = { j: 1, k: -1 };

/**
 * `j` and `k` put the focus on the next and the last row of a list, from anywhere on the page but a field; Enter opens it then, as any link.
 * @param firstInSight place of the row that is walked to first
 */
export function useWalked(box: RefObject<HTMLElement | null>, isWalked: boolean, firstInSight: () => number): void {
  const walk = useEffectEvent((event: KeyboardEvent) => {
    const step = steps[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector('dialog[open]')) return;
    const present = document.activeElement?.closest('[aria-posinset]');
    const place = present && box.current?.contains(present) ? Number(present.getAttribute('aria-posinset')) + step : firstInSight() + 1;
    const link = box.current?.querySelector(`[aria-posinset="${place}"] a[href]`);
    if (!(link instanceof HTMLElement)) return;
    event.preventDefault();
    link.focus();
  });
  useEffect(() => {
    if (!isWalked) return undefined;
    document.addEventListener('keydown', walk);
    return () => document.removeEventListener('keydown', walk);
  }, [isWalked]);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || (/^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName) && !isBox(target)))
  );
}

function isBox(target: HTMLElement): boolean {
  return target instanceof HTMLInputElement && (target.type === 'checkbox' || target.type === 'radio');
}
